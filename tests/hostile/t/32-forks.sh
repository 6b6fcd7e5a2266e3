#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# forks: the recording of a fork storm ends in time, and what is kept of processes that ended does not add up.
set -eu
. "$TOP/tests/lib.sh"
. "$TOP/tests/hostile/lib.sh"

recorder() {
	measured "$@"
}

"$CASES/forks" 20 0 1 2 >"$T/out" &
target=$!
until_true 60 grep -q forking "$T/out" || note "$T/out"
pids=$target$(ps -o pid= --ppid $target | sed 's/^ */,/' | tr -d '\n')
for how in "-p $pids" "-p $pids --children" -a; do
	name=$(echo "$how" | sed 's/ [0-9,]*//')
	# shellcheck disable=SC2086 # options
	expect_record "$name" 0 $how -uk -t 2
	check "$name: elapsed $(used elapsed) s, below 15 s" at_least 15 "$(used elapsed)"
	check "$name: samples" at_least "$(account kept "$name")" 20
	# only the processes themselves, not those that have ended
	case $how in
	*--children | -a) ;;
	*) check "$name: CPU time $(used cpu) s, below 2 s" at_least 2 "$(used cpu)" ;;
	esac
done
kill $target

# 16,000 processes with 250 mappings each; how long that takes depends on the machine
longest=300
expect_record memory 0 -u -- "$CASES/forks" 4 4000 3 240
check "memory $(used memory) KiB, below 256 MiB" at_least 262144 "$(used memory)"
check 'samples' at_least "$(account kept memory)" 20
