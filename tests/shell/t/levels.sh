# SPDX-License-Identifier: GPL-2.0-or-later
# tier: all
# levels.sh [AWK…]: runs the sh tests that call awk themselves with each awk, or the named ones, except for this machine's default, with
# which they run anyway; helpers.sh tests their common functions.
set -eu

. "$TOP/tests/shell/lib.sh"

# run_test LEVEL FILE: runs a test as tests/run does
run_test() {
	LEVEL=$1 LOGS=$T/logs MADE=${MADE%/*}/$1 CASES=$TOP/build/$1/programs sh "$2"
}

mkdir "$T/logs"
own=$(readlink -f "$(command -v awk)")
# shellcheck disable=SC2086 # words
[ $# -gt 0 ] || set -- $awks
for name; do
	if ! with_awk "$name"; then
		skip "$name" 'not installed'
		continue
	fi
	[ "$(readlink -f "$awk_file")" != "$own" ] || continue
	for level in bpf docs hostile input live perl lua symbols; do
		setup=$TOP/tests/$level/setup
		[ ! -x "$setup" ] || LEVEL=$level CASES=$TOP/build/$level/programs "$setup" >"$T/setup" 2>&1 || continue
		for file in $(grep -lw awk "$TOP/tests/$level"/t/*.sh); do
			grep -q '^# tier: all' "$file" || check "$name: $level/$(basename "$file" .sh)" run_test "$level" "$file"
		done
	done
done
