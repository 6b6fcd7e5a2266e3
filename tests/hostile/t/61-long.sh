#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# long: the data kept for a recording do not grow with the number of threads or of different stacks. The bounds are lower under a memory
# limit, so that they are reached soon: 2,048 ended threads and 32,768 rows with 256 MiB.
set -eu
. "$TOP/tests/hostile/lib.sh"

recorder() {
	prlimit --data=268435456: "$BIN" --engine bpf --min-quality 0 "$@"
}

# counted NAME: prints the number of samples in the rows of a recording
counted() {
	awk '/^row / { sum += $6 } END { print sum + 0 }' "$T/$1.rec"
}

# records NAME KIND: prints how many records of this kind a recording has
records() {
	grep -c "^$2 " "$T/$1.rec" || :
}

# 12,000 processes, most of which have a sample
expect_record threads 0 -uk -F 4999 -- "$CASES/forks" 4 3000 3 2
check "threads: $(records threads task) tasks, at most 2,304" test "$(records threads task)" -le 2304
check 'threads: the others are summed, which is said' grep -q 'threads that had ended are summed by their names' "$T/threads.err"
check 'threads: a sum' grep -q '^task [0-9]* [0-9]* 0 0 forks$' "$T/threads.rec"
check_eq 'threads: no sample is lost' "$(account kept threads)" "$(counted threads)"

# never the same stack twice
expect_record stacks 0 -u -F 9999 -- "$CASES/stacks" 4
check "stacks: $(records stacks row) rows, at most 32,768" test "$(records stacks row)" -le 32768
check 'stacks: the limit was not reached' sh -c "! grep -q 'limit of' '$T/stacks.err'"
check_eq 'stacks: no sample is lost' "$(account kept stacks)" "$(counted stacks)"
if [ "$(account kept stacks)" -gt 36000 ]; then
	check 'stacks: rare ones are shortened, which is said' grep -q 'without the innermost frames, \[rare\]' "$T/stacks.err"
	check 'stacks: they are still below their callers' grep -Eq ';(left|right);\[rare\]' "$T/stacks.folded"
else
	skip 'stacks: rare ones' "this machine's clock has ticked only $(account kept stacks) times in four seconds"
fi
