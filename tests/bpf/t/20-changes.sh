#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# 20-changes: programs that change while they are recorded: libraries are loaded and unloaded, exec, fork, many threads.
set -eu
. "$TOP/tests/lib.sh"
. "$TOP/tests/bpf/lib.sh"

# never FOLDED ERE NAME: checks that no stack matches
never() {
	never_weight=$(weight "$1" "$2")
	check_eq "$3" 0 "$never_weight"
	[ "$never_weight" = 0 ] || grep -aE -e "$2" "$1" | cut -c1-400 | head -n 5 | note
}

# in_turn NAME CALLERS ERE_A ERE_B ARG…: checks that stacks of a and stacks of b are recorded, and no mixture; stacks with neither do not
# count
in_turn() {
	turn=$1
	turn_callers=$2
	turn_a=$3
	turn_b=$4
	shift 4
	only='(^|;)[ab]_(one|two|work|spin)[; ]'
	record_until_decided "$turn" "$turn_callers;($turn_a|$turn_b)(;[^;]+)*" "$@"
	never "$T/$turn.folded" '(^|;)(a_.*;b_|b_.*;a_)' "$turn: not both in one stack"
	never "$T/$turn.folded" '(^|;)([ab]_spin;[ab]_|[ab]_two;[ab]_[^s]|[ab]_one;[ab]_[^t]|[ab]_work;[ab]_[^s])' "$turn: no other order"
	only=''
	record_until_seen "$turn: a" ";$turn_callers;$turn_a" "$@"
	record_until_seen "$turn: b" ";$turn_callers;$turn_b" "$@"
}

# two libraries, one after the other at the same address
start "$CASES/flip" 600 "$CASES"
in_turn 'libraries in turn' 'main;run;work' 'a_one;a_two;a_spin' 'b_one;b_two;b_spin' -p "$target" -u
finish
tail -n 1 "$T/target.out" | note

# one program after the other in one process
start "$CASES/exec-a" 600 "$CASES"
in_turn 'exec in turn' main 'a_work;a_spin' 'b_work;b_spin' -p "$target" -u
finish

# the same, recorded from the first instruction on
decided_seconds=''
in_turn command main 'a_work;a_spin' 'b_work;b_spin' -u -- "$CASES/exec-a" 1 "$CASES"

# tasks without user memory: execve after it has dropped the old program, a process at its end, and a thread of the kernel
record_until_seen 'no user stack: in execve' '^\[no user stack: execve\] ' -u -- "$CASES/leave" 10
never "$T/no user stack: in execve.folded" '\[no stack\]' 'no user stack: why is known'
record_until_seen 'no user stack: at the end' '^\[no user stack: exiting\] ' -u -- "$CASES/leave" 10
record_until_seen 'no user stack: that of exit' '^[^;]*_\[k\];.*do_exit' -uk -- "$CASES/leave" 10
never "$T/no user stack: that of exit.folded" '\[no (user )?stack' 'no user stack: the kernel stack alone'
decided_seconds=0.5
record everything -t 0.5 -a -u
never "$T/everything.folded" '\[no stack\]' 'no user stack: on the whole machine'

# moments at which the return address is in a register, or has not been pushed yet
decided_seconds=''
only=';[^;]*vfork [0-9]+$'
roots='(spawn;)?'
record_until_decided 'vfork and threads: the caller of vfork' 'main;by_vfork;[^;]*vfork' -u -- "$CASES/spawn" 10000
never "$T/vfork and threads: the caller of vfork.folded" '\[(truncated|broken)[^;]*;[^;]*(vfork|clone)' 'vfork and threads: whole'

# children that start and end
only=';worker'
roots='workers;'
record_until_decided 'children that come and go' 'main;start;worker(;[^;]+)*' -u -- "$CASES/workers" 1
only='' roots='' decided_seconds=0.5

# at_depth: prints the weight of the threads in "turn" that are in a thread N and N calls deep, the rest of their weight, and the number of
# these threads
at_depth() {
	# COMM/TID is the root frame
	grep -a '^[^;]*;clone.*;turn ' "$T/threads.folded" | awk '
		{ comm = $0; sub(/\/.*/, "", comm); depth = gsub(/;down/, "&") }
		depth != comm { wrong += $NF; next }
		{ right += $NF; if (!(comm in seen)) { seen[comm] = 1; threads++ } }
		END { print right + 0, wrong + 0, threads + 0 }'
}

threads_are_decided() {
	record threads --threads -p "$target" -u -t 1
	at_depth >"$T/threads"
	read -r right wrong threads <"$T/threads"
	[ "$(sequential "$right" "$wrong")" != more ] && [ "$threads" -ge 20 ]
}

# 200 threads; thread N is called N and is N calls deep
start "$CASES/threads" 300 200
until_true threads_are_decided || :
finish
check_eq '200 threads: each at its own depth' good "$(sequential "$right" "$wrong")"
check "200 threads: $threads of them" test "$threads" -ge 20
