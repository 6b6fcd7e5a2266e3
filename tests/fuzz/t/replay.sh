# SPDX-License-Identifier: GPL-2.0-or-later
# Runs every input of the corpora once through every fuzzer, or through the named ones, with the sanitizers.
set -u

cd "$TOP" || exit 1
. tests/lib.sh
. tests/fuzz/lib.sh
# shellcheck disable=SC2086 # words
[ $# -gt 0 ] || set -- $all_fuzzers
for fuzzer; do
	# shellcheck disable=SC2046
	check "$fuzzer" "$build/$fuzzer" $(inputs "$fuzzer")
done
