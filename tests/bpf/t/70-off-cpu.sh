#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# 70-off-cpu: where threads wait, for how long and in which state, against what they measured themselves.
set -eu
. "$TOP/tests/lib.sh"
. "$TOP/tests/bpf/lib.sh"
. "$TOP/tests/off-cpu.sh"

recorder() {
	"$BIN-off-cpu" --engine bpf "$@"
}

# off NAME ARG…
off() {
	off_name=$1
	shift
	expect_record "$off_name" 0 "$@"
	check "$off_name: nothing is lost" grep -q ' kept, 0 lost' "$T/$off_name.err"
}

cc -O2 -g -fomit-frame-pointer -o "$T/waits" "$TOP/tests/programs/waits.c" -lpthread
off life --state all -- "$T/waits" 10
judge_lives "$T/life.rec" "$T/life.out"
check 'life: where the sleeper sleeps' grep -qE ';sleep_and_work;sleep_for;.*nanosleep;.*;do_nanosleep_\[k\];.*\[sleeping\] ' "$T/life.folded"
check 'life: where turns are awaited' grep -qE ';work_in_turns;await_turn;.*;futex_wait_\[k\];.*\[sleeping\] ' "$T/life.folded"
check 'life: where it is preempted' grep -qE ';compete;work_for.*\[preempted\] ' "$T/life.folded"
check_eq 'life: no frames of our own' 0 "$(grep -cE 'bpf_prog_|bpf_trace_run' "$T/life.folded")"
few 'life: stacks that are not whole' "$(rootless "$T/life.folded")" "$(weight "$T/life.folded")"

# a command from its exec on, not the wait of its process for that; its exit code
expect_record command 7 --state all -- sh -c 'sleep 0.2; exit 7'
check 'command: where it waits' grep -qE '^sh;.*wait4.*\[sleeping\] ' "$T/command.folded"
check_eq 'command: nothing of sample-bt' '' "$(grep -E 'session_run|sample-bt' "$T/command.folded")"
expect_record while 8 -a -- sh -c 'sleep 1; exit 8'
check 'all while a command runs: the command' grep -qE '^sleep;.*nanosleep' "$T/while.folded"
check 'all while a command runs: others' grep -qvE '^(sh|sleep|sample-bt);' "$T/while.folded"

"$T/waits" 600 >"$T/target.out" 2>&1 &
target=$!
await_start $target
off part -p "$target" -t 5
off long -p "$target" -t 4 --min 40000 --max 70000
off all -a -t 3 --state all
finish
never=$(awk '$2 == "never" { print $1 }' "$T/target.out")
near 'part: what never woke waits all the time' "$(waited "$T/part.rec" "$never" S)" "$(awk '$2 == "seconds" { print int($3 * 1e6) }' "$T/part.rec")" 20000
check 'part: where it waits, from its first function on' grep -qE '^_*clone3;.*;wait_to_the_end;.*read.*;ksys_read_\[k\];.*anon_pipe_read_\[k\]' "$T/part.folded"
check_eq 'part: blocked states alone' '' "$(states "$T/part.rec" | grep -v '^[SDTt] ')"
check_eq 'long: no others' '' "$(awk '$1 == "row" && ($7 < 40000 * $6 || $7 > 70000 * $6)' "$T/long.rec")"
check 'long: the sleeper' grep -q sleep_and_work "$T/long.folded"
check_eq 'all: not the idle ones' 0 "$(grep -c '^swapper' "$T/all.folded")"
check 'all: idle kernel threads' grep -q '^kworker.*\[idle\] ' "$T/all.folded"
