#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# locks: bad futexes, more of them than there are labels, and threads that end in their waits.
set -eu
. "$TOP/tests/hostile/lib.sh"

# storm: records the storm, until it used more locks than there are labels
storm() {
	record storm --script locks -u --children -p $target -t 3
	grep -q 'waits have no label of their lock' "$T/storm.err"
}

# at the usual priority: a storm at a higher one starves the tests that run beside it
start spinning nice -n 10 "$CASES/locks"
check 'storm: says that labels are missing' until_true storm
check_eq 'storm: exit code' 0 "$status"
check 'storm: the threads that wait for ever' grep -q 'wait_for_ever' "$T/storm.folded"
expect_memory storm 716800
expect_record kernel 0 --script locks -k -a -t 2
expect_record both 0 --script locks --distr -a -t 2
expect_memory both 716800
kill $target

# every thread waits already
start spinning "$CASES/locks" 10000
expect_record waiting 0 --script locks -u -p $target -t 2
check_eq 'waiting: all threads' 10000 "$("${BIN%/*}/bt-collapse" --event waits "$T/waiting.rec" 2>/dev/null | sed -n 's/.*wait_for_ever.* //p' |
	awk '{ sum += $1 } END { print sum + 0 }')"
note "$T/waiting.err"
expect_memory waiting 716800
kill $target
