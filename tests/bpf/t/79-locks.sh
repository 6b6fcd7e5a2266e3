#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# locks: waits for locks by stack, whose numbers the target knows.
set -eu
. "$TOP/tests/lib.sh"
. "$TOP/tests/bpf/lib.sh"
. "$TOP/tests/locks.sh"

recorder() {
	"$BIN-locks" --engine bpf "$@"
}

N=30
LOCKS=$T/locks
cc -O2 -g -fomit-frame-pointer -pthread -o "$LOCKS" "$TOP/tests/programs/locks.c"

begin_waits attached
# an event while our own program is interrupted there is skipped, which is counted
check 'attached: nothing is lost but what is skipped' grep -qE ' kept, (0 lost|([0-9]+) lost [(]skipped [0-9]+[)]);' "$T/attached.err"
futex_waits attached
# threads wait for a place in the condition variable, which debug information tells
waits_of attached '.*;work;await_condition;.*' "$N" 'lock=signal_condition (locks)'

# a program without symbols, whose places are known nevertheless
strip -o "$T/stripped" "$LOCKS"
expect_record stripped 0 -u -- "$T/stripped" "$T" 1
check 'stripped: the place of a lock' grep -qE '^label [0-9]+ lock stripped\+0x[0-9a-f]+$' "$T/stripped.rec"
check 'stripped: a lock on the heap has its address' grep -qE '^label [0-9]+ lock 0x[0-9a-f]+.x20.process.x20[0-9]+.$' "$T/stripped.rec"

# a variable of C++, whose name is one of a namespace
cc -O2 -g -pthread -Dqueue_mutex=_ZN5cache5mutexE -o "$T/mangled" "$TOP/tests/programs/locks.c"
expect_record mangled 0 -u -- "$T/mangled" "$T" 1
check 'mangled: the name of a lock in C++' grep -qE '^label [0-9]+ lock cache::mutex.x20\(mangled\)$' "$T/mangled.rec"
if reports_contention; then
	contentions attached
else
	skip 'locks of the kernel' 'this kernel does not report them'
fi
kernel_waits
begin_waits user -u
futex_waits user
check_eq 'user: no locks of the kernel' 0 "$(grep -c '_\[k\]' "$T/user.folded")"

# a command, from its first instruction on, and its numbers
expect_record command 0 -u --distr -- "$LOCKS" "$T" $N
waits_of command '.*;work;take_queue;.*' "$N" kind=futex
"${BIN%/*}/bt-report" --distr --by lock "$T/command.rec" >"$T/distr" 2>"$T/distr.err" || note "$T/distr.err"
check 'command: how often, mean and longest by lock' grep -qE "^ *$N .* queue_mutex \\(locks\\)\$" "$T/distr"
note "$T/distr"

# a table by labels instead of functions
recorder -q -u --by lock,kind -o "$T/by.csv" -o "$T/by.svg" -- "$LOCKS" "$T" $N >/dev/null 2>"$T/by.err" || note "$T/by.err"
check_eq 'by two labels: heading' lock,kind,weight,weight_pct,waits,us_each "$(head -n 1 "$T/by.csv")"
check_eq 'by two labels: waits' "$N" "$(sed -n 's/^queue_mutex (locks),futex,[0-9]*,[0-9.]*,\([0-9]*\),.*/\1/p' "$T/by.csv")"
check 'by two labels: both in the picture' grep -q 'queue_mutex (locks)' "$T/by.svg"

# what a command starts is recorded, too, and each child has its own locks
expect_record children 0 -u -- sh -c "'$LOCKS' '$T' $N; '$LOCKS' '$T' $N; exit 0"
waits_of children '.*;work;take_queue;.*' $((2 * N)) kind=futex "lock=queue_mutex (locks)"

# the stacks of the threads that end the waits
begin_waits released -u --releaser stack
waits_of released '.*;work;take_queue;.*;release_queue_\[w\];.*;main_\[w\];.*' "$N" kind=futex
waits_of released '.*;work;await_condition;.*;send_signal_\[w\];.*;main_\[w\];.*' "$N" kind=futex
waits_of released '_start;.*;main;(wait_for_all;)?give_up;[^[]*' "$N" error=ETIMEDOUT

# bounds: a wait of a millisecond that fails takes at least that long
begin_waits slow -u --min 900
check_eq 'slow: the waits that fail' "$N" "$(waits slow give_up)"
begin_waits fast -u --max 900
check_eq 'fast: no such waits' 0 "$(waits fast give_up)"

# who waits already, and for ever: without kernel stack, as all waits for futexes
start "$LOCKS" "$T" 0
expect_record stuck 0 -uk -p $target -t 0.5
waits_of stuck '_*clone3?;start_thread;stay;[^[]*' 1 kind=futex ran=never
waits_of stuck '_start;.*;main;join;[^[]*' 1 kind=join 'lock=end of thread locks'
check 'stuck: the whole stack' grep -qE '^_*clone3?;start_thread;stay;' "$T/stuck.folded"
finish

# as_strace: checks that strace counts as many calls that wait, in another run, which may have one more
as_strace() {
	if ! command -v strace >/dev/null; then
		skip 'as strace counts them' 'no strace'
		return 0
	fi
	strace -f -o "$T/strace" -e trace=futex "$LOCKS" "$T" $N >/dev/null 2>&1 || :
	strace_waits=$(grep -E 'FUTEX_(WAIT|LOCK_PI)' "$T/strace" | grep -vc EAGAIN)
	strace_again=$(grep -c 'futex resumed.*EAGAIN' "$T/strace" || :)
	check_eq 'command: as many waits as strace sees' "$((strace_waits - strace_again))" "$("${BIN%/*}/bt-report" --event waits --by kind "$T/command.rec" 2>/dev/null |
		sed 1d | awk -F, '{ sum += $2 } END { print sum + 0 }')"
}
[ -z "${CHECK_ALL-}" ] || as_strace
