#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# account: processes that live for some microseconds, thousands a second. Each tick of the clock is kept or counted as lost, even if it is
# not delivered, and the time in which a process ends belongs to it, too.
set -eu
. "$TOP/tests/hostile/lib.sh"

expect_record children 0 -uk -- "$CASES/exits" 300
check "a process's end" grep -q 'do_exit_\[k\];.*exit_mmap_\[k\]' "$T/children.folded"

"$CASES/exits" 100000 >/dev/null &
target=$!
at_end 'kill $target 2>/dev/null'
# all_ticks ARG…: checks that there are as many ticks as fit into the length of the recording. The length is given in milliseconds, which
# is an error of 5 ticks per processor, and a tick more may be missing at its ends. Fails if the machine was interrupted just there.
all_ticks() {
	record all -a --idle -uk -F 10000 "$@"
	awk -v cpus="$(getconf _NPROCESSORS_ONLN)" -v ticks="$(($(account kept all) + $(account lost all)))" '/^meta seconds / {
		missing = cpus * 10000 * $3 - ticks
		exit !(missing <= 6 * cpus && missing >= -6 * cpus) }' "$T/all.rec"
}
check 'all ticks' until_true all_ticks -t 0.5
check 'all ticks: the time begins with them, not with the command' until_true all_ticks -- sleep 0.2
kill "$target"

# The clock of an idle processor may stand still: the hundred ticks that it would have had are not a loss of the next program. The target
# runs for such a short time that there may be no sample.
sh -c 'while :; do sleep 0.1; done' &
target=$!
idle_loses_nothing() {
	record sleeper -p "$target" -k -t 1
	[ "$(account kept sleeper)" -gt 0 ] && [ "$(account lost sleeper)" -le "$(account kept sleeper)" ]
}
check 'sleeper: an idle processor loses nothing' until_true idle_loses_nothing
note "$T/sleeper.err"
kill "$target"

# The idle task of a processor is known from its first tick on, although no tick hits it here.
busy=''
at_end 'kill $busy 2>/dev/null'
for _ in $(seq "$(getconf _NPROCESSORS_ONLN)"); do
	nice -n -20 sh -c 'while :; do :; done' &
	busy="$busy $!"
done
record busy -v -a -k -t 0.2
# shellcheck disable=SC2086 # several processes
kill $busy
check 'busy: idle tasks are known' grep -qE '^([0-9]+) processors had ticks; of \1 the idle task is known$' "$T/busy.err"
grep 'idle task' "$T/busy.err" | note
