# SPDX-License-Identifier: GPL-2.0-or-later
# tier: all
# The tests in sh of levels that need little time, with each awk: none fails that does not fail with the machine's own.
set -eu

. "$TOP/tests/shell/lib.sh"

# run_test LEVEL FILE: as tests/run does
run_test() {
	LEVEL=$1 LOGS=$T/logs MADE=${MADE%/*}/$1 CASES=$TOP/build/$1/programs sh "$2"
}

mkdir "$T/logs"
for name in $awks; do
	if ! with_awk $name; then
		skip "$name" 'not installed'
		continue
	fi
	for level in bpf docs hostile input live perl lua symbols; do
		setup=$TOP/tests/$level/setup
		[ ! -x "$setup" ] || LEVEL=$level CASES=$TOP/build/$level/programs "$setup" >"$T/setup" 2>&1 || continue
		for file in "$TOP/tests/$level"/t/*.sh; do
			grep -q '^# tier: all' "$file" || check "$name: $level/$(basename "$file" .sh)" run_test "$level" "$file"
		done
	done
done
