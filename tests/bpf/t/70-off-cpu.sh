#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# 70-off-cpu: where threads wait, in which state and for how long, and which waits were asked for.
set -eu
. "$TOP/tests/lib.sh"
. "$TOP/tests/bpf/lib.sh"
. "$TOP/tests/off-cpu.sh"

recorder() {
	"$BIN-off-cpu" --engine bpf "$@"
}

# off_until_seen NAME ERE ARG…: as record_until_seen; also checks that no sample is lost
off_until_seen() {
	record_until_seen "$@"
	check_eq "$1: exit code" 0 "$status"
	check "$1: nothing is lost" grep -q ' kept, 0 lost' "$T/$1.err"
}

cc -O2 -g -fomit-frame-pointer -o "$T/waits" "$TOP/tests/programs/waits.c" -lpthread

decided_seconds=''
# the place where the sleeper sleeps, where threads await their turn, and where one is preempted
off_until_seen life ';sleep_and_work;sleep_for;.*nanosleep;.*;hrtimer_nanosleep_\[k\];\[sleeping\] ' \
	--state all -- "$T/waits" 1
judge_lives "$T/life.rec" "$T/life.out"
check_eq 'life: no frames of our own' 0 "$(grep -cE 'bpf_prog_|bpf_trace_run' "$T/life.folded")"
off_until_seen turns ';work_in_turns;await_turn;.*;futex_wait_\[k\];.*\[sleeping\] ' --state all -- "$T/waits" 1
off_until_seen pair ';compete;work_for.*\[preempted\] ' --state all -- "$T/waits" 1
"${BIN%/*}/bt-collapse" --by preemptor --tag R "$T/pair.rec" >"$T/preemptors" 2>/dev/null
check_eq 'pair: each preempted thread has a preemptor' 0 "$(grep -c '^\[no preemptor\]' "$T/preemptors")"
check_eq 'pair: only preempted threads have one' 'no preemptor' \
	"$("${BIN%/*}/bt-collapse" --by preemptor --tag S,D,W "$T/pair.rec" 2>&1 | grep -o 'no row has\|^\[no preemptor\]' | sort -u | tr -d '[]')"
decided_seconds=0.5

# of two programs on one processor, each is preempted by the other one, and never by itself
rivals=''
for rival in rival-one rival-two; do
	cp "$(command -v yes)" "$T/$rival"
	setpriv --pdeathsig TERM taskset -c 0 "$T/$rival" >/dev/null &
	rivals="${rivals:+$rivals,}$!"
done
off_until_seen rivals '^rival-(one|two);' --state R --by preemptor -p "$rivals"
for rival in rival-one rival-two; do
	check_eq "rivals: $rival does not preempt itself" 0 \
		"$("${BIN%/*}/bt-report" --comm $rival --by preemptor "$T/rivals.rec" 2>/dev/null | grep -c "^$rival,")"
done
# what is not recorded, but keeps them from running, is said
record blocked -p "$rivals" -t 0.5
check 'blocked: they waited for the processor' grep -qE \
	"the target's threads waited [0-9.]+ m?s for a processor, which is not recorded; --state all records this, too\$" "$T/blocked.err"
check_eq 'rivals: that is recorded' 0 "$(grep -c 'which is not recorded' "$T/rivals.err")"
kill "${rivals%,*}" "${rivals#*,}"
wait
sleep 60 &
await_start $!
expect_record asleep 0 -p $! -t 0.2
check_eq 'asleep: it waits for no processor' 0 "$(grep -c 'which is not recorded' "$T/asleep.err")"
kill $!

# a command is recorded from its exec on, without the wait of its process before that; its exit code is kept
expect_record command 7 --state all -- sh -c 'sleep 0.2; exit 7'
check 'command: where it waits' grep -qE '^sh;.*wait4.*\[sleeping\] ' "$T/command.folded"
check_eq 'command: nothing of sample-bt' '' "$(grep -E 'session_run|sample-bt' "$T/command.folded")"
expect_record while 8 -a -- sh -c 'sleep 1; exit 8'
check 'all while a command runs: the command' grep -qE '^sleep;.*nanosleep' "$T/while.folded"
check 'all while a command runs: others' grep -qvE '^(sh|sleep|sample-bt);' "$T/while.folded"

# the number of waits of a function, which its caller knows, and the longest one
expect_record naps 0 --distr -- perl -e 'select(undef, undef, undef, $_ % 10 ? 0.002 : 0.02) for 1 .. 100'
naps() {
	"${BIN%/*}/bt-report" --distr --csv --tag S "$@" "$T/naps.rec" 2>/dev/null
}
check_eq 'naps: as many as there were' 100 "$(naps --by function | awk -F, '$NF ~ /poll|select/ { n += $1 } END { print n }')"
check 'naps: the longest is one of 20 ms or more' [ "$(naps --by function | awk -F, '$NF ~ /poll|select/ { print $9 }')" -ge 20000 ]
check 'naps: ten of 16 ms or more' [ "$(naps | awk -F, 'NR > 1 && $1 >= 16384 { n += $3 } END { print n }')" -ge 10 ]

"$T/waits" 600 >"$T/target.out" 2>&1 &
target=$!
await_start $target
# the place of the wait, from the thread's first function on
off_until_seen part '^_*clone3?;.*;wait_to_the_end;.*read.*;ksys_read_\[k\];.*anon_pipe_read_\[k\]' --asleep -p "$target"
# threads that never ran are left out, and the account has them
"${BIN%/*}/bt-collapse" "$T/part.rec" >"$T/awake.folded" 2>"$T/awake.err"
check_eq 'part: who never ran is left out' 0 "$(grep -c wait_to_the_end "$T/awake.folded")"
never=$(awk '$1 == "label" && $3 == "ran" { label = $2 } $1 == "row" && index("," $5 ",", "," label ",") { n++ } END { print n + 0 }' "$T/part.rec")
check "part: the account has $never" grep -q "; left out: $never threads that never ran (.*, --asleep)$" "$T/awake.err"
# the switch is not shown, so that waits that began before the recording have the same stacks
"${BIN%/*}/bt-collapse" --scheduler "$T/part.rec" >"$T/scheduler.folded" 2>/dev/null
check_eq 'part: not the scheduler' 0 "$(grep -c ';schedule_' "$T/part.folded")"
check 'part: the scheduler on request' grep -q ';do_nanosleep_\[k\];.*__schedule_\[k\][; ]' "$T/scheduler.folded"
check_eq 'part: blocked states alone' '' "$(states "$T/part.rec" | grep -v '^[SDTt] ')"
off_until_seen long sleep_and_work -p "$target" --min 40000
check_eq 'long: no shorter ones' '' "$(awk '$1 == "row" && $7 < 40000 * $6' "$T/long.rec")"
off_until_seen short await_turn -p "$target" --max 40000
check_eq 'short: no longer ones' '' "$(awk '$1 == "row" && $7 > 40000 * $6' "$T/short.rec")"
off_until_seen all '^kworker.*\[idle\] ' -a --state all
check_eq 'all: not the idle ones' 0 "$(grep -c '^swapper' "$T/all.folded")"
finish
waited=$(waited "$T/part.rec" "$(awk '$2 == "never" { print $1 }' "$T/target.out")" S)
recorded=$(recorded_us "$T/part.rec")
check "part: what never woke waits, $waited of $recorded us" awk "BEGIN { exit !($waited > 0 && $waited <= $recorded) }"
