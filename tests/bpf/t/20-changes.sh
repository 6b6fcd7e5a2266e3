#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# 20-changes: programs that change while they are recorded: libraries that come and go, exec, fork, many threads.
set -eu
. "$TOP/tests/lib.sh"
. "$TOP/tests/bpf/lib.sh"

# never FOLDED ERE NAME: no such stack
never() {
	never_weight=$(weight "$1" "$2")
	if [ "$never_weight" = 0 ]; then
		ok "$3"
	else
		not_ok "$3" "$never_weight samples have a stack that never was: $2"
		grep -aE -e "$2" "$1" | cut -c1-400 | head -n 5 | note
	fi
}

# in_turn NAME RECORDING CALLERS ERE_A ERE_B MIN_PERCENT: a's stacks and b's, both well represented, and no mixture; what has nothing of
# either is not looked at
in_turn() {
	never "$T/$2.folded" '(^|;)(a_.*;b_|b_.*;a_)' "$1: not both in one stack"
	never "$T/$2.folded" '(^|;)([ab]_spin;[ab]_|[ab]_two;[ab]_[^s]|[ab]_one;[ab]_[^t]|[ab]_work;[ab]_[^s])' "$1: no other order"
	grep -aE '(^|;)[ab]_(one|two|work|spin)[; ]' "$T/$2.folded" >"$T/$2.these" || :
	expect_stack "$T/$2.these" "$3;($4|$5)(;[^;]+)*" "$6" "$1"
	check "$1: a" test "$(weight "$T/$2.these" ";$3;$4")" -gt 20
	check "$1: b" test "$(weight "$T/$2.these" ";$3;$5")" -gt 20
}

# two libraries, one after the other at the same address
start "$CASES/flip" 600 "$CASES"
record_for flip 3 -p "$target" -u
finish
tail -n 1 "$T/target.out" | note
in_turn 'libraries in turn' flip 'main;run;work' 'a_one;a_two;a_spin' 'b_one;b_two;b_spin' 95
expect_account 'libraries in turn: the account' flip 95

# one program after the other in one process
start "$CASES/exec-a" 600 "$CASES"
record_for exec 2 -p "$target" -u
finish
in_turn 'exec in turn' exec main 'a_work;a_spin' 'b_work;b_spin' 95
# in exec itself there is no user stack any more, or not yet
expect_account 'exec in turn: the account' exec 90

# the same from the first instruction on
record command -u -- "$CASES/exec-a" 2 "$CASES"
in_turn command command main 'a_work;a_spin' 'b_work;b_spin' 95
expect_account 'command: the account' command 90

# a task without user memory: in exec behind its old program, at its end, and a thread of the kernel
record leave -u -- "$CASES/leave" 10
check 'no user stack: in execve' test "$(weight "$T/leave.folded" '^\[no user stack: execve\] ')" -gt 0
check 'no user stack: at the end' test "$(weight "$T/leave.folded" '^\[no user stack: exiting\] ')" -gt 0
never "$T/leave.folded" '\[no stack\]' 'no user stack: why is known'
expect_account 'no user stack: the account' leave 97
record leave-kernel -uk -- "$CASES/leave" 10
never "$T/leave-kernel.folded" '\[no (user )?stack' 'no user stack: the kernel stack alone'
check 'no user stack: that of exit' test "$(weight "$T/leave-kernel.folded" '^[^;]*_\[k\];.*do_exit')" -gt 0
expect_account 'no user stack: the account of both' leave-kernel 97
record_for everything 1 -a -u
never "$T/everything.folded" '\[no stack\]' 'no user stack: on the whole machine'

# where the return address is in a register, and where there is none yet
record spawn -u -- "$CASES/spawn" 10000
never "$T/spawn.folded" '\[(truncated|broken)[^;]*;[^;]*(vfork|clone)' 'vfork and threads: whole'
grep -aE ';[^;]*vfork [0-9]+$' "$T/spawn.folded" >"$T/spawn.these" || :
roots='(spawn;)?'
expect_stack "$T/spawn.these" 'main;by_vfork;[^;]*vfork' 95 'vfork and threads: the caller of vfork'
roots=''
check 'vfork and threads: samples' test "$(weight "$T/spawn.these")" -gt 20
expect_account 'vfork and threads: the account' spawn 97

# children that come and go
record workers -u -- "$CASES/workers" 2
grep -a ';worker' "$T/workers.folded" >"$T/workers.these" || :
roots='workers;'
expect_stack "$T/workers.these" 'main;start;worker(;[^;]+)*' 95 'children that come and go'
roots=''
check 'children that come and go: samples' test "$(weight "$T/workers.these")" -gt 100
expect_account 'children that come and go: the account' workers 97

# 200 threads, thread N called so, N calls deep
start nice -n 15 "$CASES/threads" 300 200
record_least=1000 record_for threads 2 --threads -p "$target" -u
expect_gdb '200 threads: as gdb sees them' threads
finish
# COMM/TID is the root frame
grep -a '^[^;]*;clone.*;turn ' "$T/threads.folded" | awk '
	{ comm = $0; sub(/\/.*/, "", comm); depth = gsub(/;down/, "&"); all += $NF }
	depth == comm { good += $NF; if (!(comm in seen)) { seen[comm] = 1; threads++ } }
	END { print all + 0, good + 0, threads + 0 }' >"$T/threads"
read -r all good threads <"$T/threads"
check_eq '200 threads: each at its own depth' "$all" "$good"
check '200 threads: nearly all of them' test "$threads" -ge 150
expect_account '200 threads: the account' threads 99 200
