#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# wakers: who wakes threads that wait, by the stacks of both, whose numbers the target knows.
set -eu
. "$TOP/tests/lib.sh"
. "$TOP/tests/bpf/lib.sh"
. "$TOP/tests/wakers.sh"

recorder() {
	"$BIN-wakers" --engine bpf --no-jvm "$@"
}

N=30
WAKERS=$T/wakers
cc -O2 -g -fomit-frame-pointer -pthread -o "$WAKERS" "$TOP/tests/programs/wakers.c"

record_work "$WAKERS" attached --children
# an event while our own program is interrupted there is skipped, which is counted
check 'attached: nothing is lost but what is skipped' grep -qE ' kept, (0 lost|([0-9]+) lost [(]skipped [0-9]+[)]);' "$T/attached.err"
all_wakers attached
interrupted attached

# the user stacks alone
record_work "$WAKERS" user --children -u
all_wakers user
check_eq 'user: no kernel frames' 0 "$(grep -cE '_\[k\]|try_to_wake_up|asm_sysvec' "$T/user.folded")"
check 'user: interrupts' grep -qE ';nap;.*nanosleep;\[interrupt\]' "$T/user.folded"

# who woke the waker
record_work "$WAKERS" chain --children -u --chain 2
woken chain "$woken_third;$waker_second;$waker_main" "$N"
# the main thread was woken by the signal, and by timers since
woken chain "$woken_second;$waker_main;(.*_\[w\]|\[interrupt\])" "$N"

# wakers that are not recorded themselves
: >"$T/target.out"
"$WAKERS" wait "$T" $N >"$T/target.out" 2>&1 &
target=$!
until_true spinning || note "$T/target.out"
begin_record child -u -p "$(sed -n 's/^child //p' "$T/target.out")"
kill -USR1 $target
end_record
woken child "$woken_third;$waker_second" "$N"
check_eq 'child: nobody else' 0 "$(grep -c ';second;await' "$T/child.folded")"

# two wait already, and for ever: nobody has woken them
start "$WAKERS" "$T" 0
expect_record open 0 -u --children -p $target -t 0.5
woken open "$woken_third" 1
woken open "$woken_second" 1
kill -USR1 $target
wait $target || :

# states and bounds as of off-cpu
record_work "$WAKERS" running -u --children --state W
check_eq 'running: the waits for a processor' W "$("${BIN%/*}/bt-report" --by state "$T/running.rec" 2>/dev/null | sed '1d; s/,.*//')"
check 'running: with their wakers' grep -qE ';second;await;.*_\[w\]' "$T/running.folded"
