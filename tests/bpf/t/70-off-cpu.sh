#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# 70-off-cpu: where threads wait, in which state, and which waits were asked for; 72-waits has the times.
set -eu
. "$TOP/tests/lib.sh"
. "$TOP/tests/bpf/lib.sh"
. "$TOP/tests/off-cpu.sh"

recorder() {
	"$BIN-off-cpu" --engine bpf "$@"
}

# off_until_seen NAME WHAT ERE ARG…: records until such a wait is seen; nothing is lost
off_until_seen() {
	off_name=$1
	off_what=$2
	off_ere=$3
	shift 3
	longer=$decided_seconds
	until_true 60 off_sees "$@" || :
	check "$off_name: $off_what" grep -qE -e "$off_ere" "$T/$off_name.folded"
	check_eq "$off_name: exit code" 0 "$status"
	check "$off_name: nothing is lost" grep -q ' kept, 0 lost' "$T/$off_name.err"
}

off_sees() {
	record_longer "$off_name" "$@"
	grep -qE -e "$off_ere" "$T/$off_name.folded"
}

cc -O2 -g -fomit-frame-pointer -o "$T/waits" "$TOP/tests/programs/waits.c" -lpthread

decided_seconds=''
off_until_seen life 'where the sleeper sleeps' ';sleep_and_work;sleep_for;.*nanosleep;.*;do_nanosleep_\[k\];.*\[sleeping\] ' \
	--state all -- "$T/waits" 1
check_eq 'life: no frames of our own' 0 "$(grep -cE 'bpf_prog_|bpf_trace_run' "$T/life.folded")"
off_until_seen turns 'where turns are awaited' ';work_in_turns;await_turn;.*;futex_wait_\[k\];.*\[sleeping\] ' --state all -- "$T/waits" 1
off_until_seen pair 'where it is preempted' ';compete;work_for.*\[preempted\] ' --state all -- "$T/waits" 1
decided_seconds=0.5

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
off_until_seen part 'where it waits, from its first function on' \
	'^_*clone3?;.*;wait_to_the_end;.*read.*;ksys_read_\[k\];.*anon_pipe_read_\[k\]' -p "$target"
check_eq 'part: blocked states alone' '' "$(states "$T/part.rec" | grep -v '^[SDTt] ')"
off_until_seen long 'the sleeper' sleep_and_work -p "$target" --min 40000
check_eq 'long: no shorter ones' '' "$(awk '$1 == "row" && $7 < 40000 * $6' "$T/long.rec")"
off_until_seen short 'the turns' await_turn -p "$target" --max 40000
check_eq 'short: no longer ones' '' "$(awk '$1 == "row" && $7 > 40000 * $6' "$T/short.rec")"
off_until_seen all 'idle kernel threads' '^kworker.*\[idle\] ' -a --state all
check_eq 'all: not the idle ones' 0 "$(grep -c '^swapper' "$T/all.folded")"
finish
