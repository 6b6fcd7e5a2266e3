#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# at: probe points that are patterns, whose hits the target knows.
set -eu
. "$TOP/tests/lib.sh"
. "$TOP/tests/bpf/lib.sh"
. "$TOP/tests/at.sh"

HITS=$T/many
python3 "$TOP/tests/programs/many.py" >"$T/many.c"
cc -O2 -fomit-frame-pointer -I "$TOP/tests/programs" -o "$HITS" "$T/many.c"

at functions 3 --at 'process.function("many_*")' -u
check_eq 'functions: each three times' 1000 "$(grep -cE '^_start;.*;main;many_[0-9]+ 3$' "$T/functions.folded")"
check_eq 'functions: nothing else' 3000 "$(weight "$T/functions.folded")"
check 'functions: chosen ones' grep -q ': 1 that match the pattern are not probed, which choose .* (IFUNC): many_chosen$' "$T/functions.err"
check 'functions: first instruction' grep -q ': 1 that match the pattern are not probed, .* first instruction: many_locked$' "$T/functions.err"
at values 2 --at 'process.function("many_?")' --value '$arg1' -u
check_eq 'values: sum' 90 "$(weight "$T/values.folded")"
at two 2 --at 'process.function("many_99?")' --at 'process.function("tail_1")' --at syscall.rt_sigtimedwait --by probe -u
counts two 'process.function."tail_1".;.*;main;tail_1' 2
check_eq 'two: pattern' 20 "$(weight "$T/two.folded" '^process.function."many_99.".;.*;main;many_99[0-9]$')"

# each function has its own return, also if it jumps to another one
at latency 5 --at 'process.function("tail_?")' --latency --distr -u
check_eq 'latency: all calls' 10 "$("$TOP/bin/bt-report" --distr --json "$T/latency.rec" 2>/dev/null | grep -o '"count": [0-9]*' | head -n 1 | cut -d' ' -f2)"
check 'latency: all return' sh -c "! grep -q 'did not return' '$T/latency.err'"
at returns 2 --at 'process.function("many_1??").return' -u
check_eq 'returns: all' 200 "$(weight "$T/returns.folded")"

# system calls, by the tracepoint that all of them share, and tracepoints
HITS=$T/hits
cc -O2 -g -fomit-frame-pointer -pthread -o "$HITS" "$TOP/tests/programs/hits.c"
at calls '40 40' --at 'syscall.getp?id' --at 'syscall.writ*.return' --by probe
counts calls 'syscall.getp[?]id;_start;.*;seldom;getppid;.*' 40
check_eq 'calls: no others' 40 "$(weight "$T/calls.folded" '^syscall.getp')"
at every_call '40 40' --at 'syscall.*' -u
counts every_call '_start;.*;seldom;getppid' 40
at written 'values 100' --at 'syscall.writ*.return' --value '$return' -u
check_eq 'written: sum' 10000 "$(weight "$T/written.folded" ';main;.*$')"
at slept 'calls 3' --at 'syscall.clock_nano*' --latency -u
check 'slept: at least 18 ms' test "$(weight "$T/slept.folded")" -ge 18000000
at traces '40 40' --at 'kernel.trace("raw_syscalls:sys_*")'
check_eq 'traces: calls and returns' 80 "$(weight "$T/traces.folded" ';seldom;getppid;.*$')"
at left_out '40 40' --at 'kernel.trace("*sys_enter*")'
check_eq 'left_out: calls' 40 "$(weight "$T/left_out.folded" ';seldom;getppid;.*$')"
check 'left_out: is told' grep -q ' not probed, as they are no tracepoints of their own: .*syscalls:sys_enter_' "$T/left_out.err"

objects_before
"$BIN" --engine bpf --at 'process("'"$T/many"'").function("many_*")' -u -a -t 60 -o "$T/ended.rec" >/dev/null 2>"$T/ended.err" &
recording=$!
sleep 1
kill -INT $recording
wait $recording || :
check 'Ctrl-C: nothing stays' until_true no_objects_left

status=0
"$BIN" --engine bpf --at 'process.function("few_*")' -- "$HITS" 1 >"$T/refused.out" 2>"$T/refused.err" || status=$?
check_eq 'none that matches' 2 "$status"
check 'none that matches: is told' grep -q 'has no function few_\*' "$T/refused.err"
refused() {
	refused_text=$1
	shift
	status=0
	"$BIN" --engine bpf "$@" -- "$HITS" 1 1 >"$T/refused.out" 2>"$T/refused.err" || status=$?
	check "$*: $refused_text" grep -qF -e "$refused_text" "$T/refused.err"
}
refused 'no system call matches' --at 'syscall.nothing*'
refused 'no tracepoint of this kernel matches' --at 'kernel.trace("nothing:*")'
refused 'no fields in common' --at 'kernel.trace("sched:*")' --value '$pid'
refused 'can be given once' --at 'syscall.get*' --at 'syscall.set*'
refused 'only one pattern' --at 'kernel.trace("sched:*")' --at 'kernel.trace("irq:*")'
