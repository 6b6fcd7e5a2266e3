#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# at: values and times at probe points, whose sums the target knows.
set -eu
. "$TOP/tests/lib.sh"
. "$TOP/tests/bpf/lib.sh"
. "$TOP/tests/at.sh"

N=400
HITS=$T/hits
cc -O2 -g -fomit-frame-pointer -pthread -o "$HITS" "$TOP/tests/programs/hits.c"
bytes=$((10 * N * (N + 1) / 2))
odd=$((N * (N + 1) / 2 - 4 * (N / 4) * (N / 4 + 1) / 2)) # numbers that are no multiples of 4

# adds NAME SUM [UNIT]: checks the sum of a recording and its unit
adds() {
	check_eq "$1: sum" "$2" "$(weight "$T/$1.folded")"
	check "$1: unit" grep -q "^event 0 at ${3-[a-z0-9]*} " "$T/$1.rec"
	check "$1: none lost" grep -q ' kept, 0 lost' "$T/$1.err"
}

GIVE='process.function("give")'
at name "values $N" --at "$GIVE" --value '$bytes'
adds name $bytes bytes
counts name '_start;.*;main;give' $bytes
at number "values $N" --at "$GIVE" --value '$arg2' --value-unit octets
adds number $bytes octets
at typed "values $N" --at "$GIVE" --value 'ulong_arg(2)'
adds typed $bytes value
at result "values $N" --at "$GIVE.return" --value '$return' -u
adds result $odd return
check "result: values below 0" grep -q ": $((N / 4)) hits have a value below 0" "$T/result.err"
at positive "values $N" --at "$GIVE.return" --value '$return' --if '$return > 0' -u
adds positive $odd
check 'positive: none below 0' sh -c "! grep -q 'below 0' '$T/positive.err'"
at hits "values $N" --at "$GIVE.return" --if '$return == -1' -u
adds hits $((N / 4)) hits
at bounds "values $N" --at "$GIVE" --value '$bytes' --min 501 --max 800
adds bounds $((10 * (51 + 80) * 30 / 2))
at test "values $N" --at "$GIVE" --value '$number' --if '$bytes <= 100'
adds test 55 number

# each write has 100 bytes
at syscall "values $N" --at syscall.write --value '$count' --if '$fd >= 0' -u
adds syscall $((100 * N)) count
at syscall_word "values $N" --at syscall.write --value '$arg3' -u
adds syscall_word $((100 * N))
at returned "values $N" --at syscall.write.return --value '$return' -u
adds returned $((100 * N))
at field "values $N" --at 'kernel.trace("sys_enter_write")' --value '$count'
adds field $((100 * N))
at event "values $N" --at 'kernel.trace("raw_syscalls:sys_exit")' --value '$ret' --if '$id == 1'
adds event $((100 * N))

# without debug information there are registers only
strip -g -o "$T/stripped" "$HITS"
HITS=$T/stripped
at register "values $N" --at "$GIVE" --value '$arg2'
adds register $bytes
check 'register: says that the type is not known' grep -q 'types of some values are not known' "$T/register.err"
HITS=$T/hits

# lasts NAME MS: checks that the sum is at least so long
lasts() {
	check "$1: at least $2 ms" test "$(weight "$T/$1.folded")" -ge $(($2 * 1000000))
}

# a call's stack is the stack at its beginning
C=20
at latency "calls $C" --at 'process.function("nap")' --latency
lasts latency $((2 * C))
check_eq 'latency: stack' 1 "$(grep -cE '^_start;.*;make_calls;nap [0-9]+$' "$T/latency.folded")"
check 'latency: all calls return' sh -c "! grep -q 'did not return' '$T/latency.err'"
at recursive "calls $C" --at 'process.function("dive")' --latency
lasts recursive $((C * (1 + 2 + 3 + 4)))
check_eq 'recursive: a stack for each depth' 4 "$(grep -cE ';make_calls(;dive){1,4} [0-9]+$' "$T/recursive.folded")"
at sleep "calls $C" --at syscall.clock_nanosleep --latency -u
lasts sleep $((C * (2 + 4)))
# calls that are left by longjmp(3) or by the end of their thread
status=0
begin_at left "calls $C" --at 'process.function("jumped")' --at 'process.function("ended")' --latency
check_eq 'left: nothing is added' 1 "$status"
check 'left: all calls are counted' grep -q ": calls that did not return .* ($((2 * C)))" "$T/left.err"
at mixture "calls $C" --at 'process.function("nap")' --at 'process.function("jumped")' --latency --by probe
check_eq 'mixture: only what returns' 1 "$(grep -c . "$T/mixture.folded")"
check 'mixture: calls that do not return' grep -q ": calls that did not return .* ($C)" "$T/mixture.err"
at failing "values $N" --at "$GIVE" --latency --if '$return < 0'
check 'failing: all calls return' sh -c "! grep -q 'did not return' '$T/failing.err'"
status=0
begin_at too_long "calls $C" --at 'process.function("nap")' --latency --max 1000
check_eq 'too_long: nothing is added' 1 "$status"

# the distribution: how many values are in each octave
begin_at octaves "values $N" --at "$GIVE" --value '$bytes' --distr -o "$T/octaves.rec"
"$TOP/bin/bt-report" --distr --csv "$T/octaves.rec" >"$T/octaves.csv" 2>/dev/null
check_eq 'octaves: histogram' "$(seq 10 10 $((10 * N)) | awk 'BEGIN { print "from,to,count" }
	{ for (b = 8; 2 * b <= $1; b *= 2); n[b]++ } END { for (b = 8; b in n; b *= 2) printf "%d,%d,%d\n", b, 2 * b, n[b] }')" "$(cat "$T/octaves.csv")"
"$TOP/bin/bt-report" --distr --by probe --csv "$T/octaves.rec" >"$T/by.csv" 2>/dev/null
check_eq 'octaves: by probe point' "$N,$bytes,$(((bytes + N / 2) / N))" "$(sed -n 2p "$T/by.csv" | cut -d, -f1-3)"
check 'octaves: percentiles' awk -F , -v n=$N 'function near(x, y) { return x > y * 15 / 16 && x < y * 17 / 16 }
	NR == 2 { exit !(near($4, 10) && near($5, 5 * n) && near($6, 9 * n) && near($9, 10 * n)) }' "$T/by.csv"
begin_at table "calls $C" --at 'process.function("nap")' --latency --distr -o "$T/table.rec"
check_eq 'table: all calls' $C "$("$TOP/bin/bt-report" --distr --json "$T/table.rec" 2>/dev/null | grep -o '"count": [0-9]*' | head -n 1 | cut -d' ' -f2)"
"$BIN" --engine bpf --at 'process.function("nap")' --latency --distr -- "$HITS" calls 3 >"$T/stdout" 2>/dev/null
check 'a distribution goes to stdout' grep -q '^ *3  .* ms  ' "$T/stdout"

# each test and value that is not there is refused
refused() {
	refused_status=$1
	refused_text=$2
	shift 2
	status=0
	"$BIN" --engine bpf "$@" -- "$HITS" values 1 >"$T/refused.out" 2>"$T/refused.err" || status=$?
	check_eq "$*: exit code" "$refused_status" "$status"
	check "$*: $refused_text" grep -qF -e "$refused_text" "$T/refused.err"
	check_eq "$*: one line" 1 "$(grep -c . "$T/refused.err")"
}
refused 2 'has no such argument' --at "$GIVE" --value '$nothing'
refused 2 'known at the .return only' --at "$GIVE" --value '$return'
refused 2 'known at the call only' --at "$GIVE.return" --value '$bytes'
refused 2 'returns nothing' --at 'process.function("nap").return' --value '$return'
refused 2 'its numbers are $__syscall_nr, $fd, $buf, $count' --at syscall.write --value '$size'
refused 2 'its numbers are $parent_pid, $child_pid' --at 'kernel.trace("sched_process_fork")' --value '$parent_comm'
refused 64 'needs SystemTap' --at "$GIVE" --value '$bytes * 2'
refused 64 'needs SystemTap' --at "$GIVE" --if '$bytes > $number'
refused 64 'has no values' --at perf.sw.page_faults --value '$address'
refused 64 'has no calls' --at "$GIVE.return" --latency
refused 64 'has no calls' --at 'kernel.trace("sched_switch")' --latency
refused 64 'give one' --at "$GIVE" --latency --value '$bytes'
refused 64 'need --value or --latency' --at "$GIVE" --min 5
refused 64 'needs --value or --latency' --at "$GIVE" --distr
refused 64 'an expression' --at "$GIVE" --value '{'
