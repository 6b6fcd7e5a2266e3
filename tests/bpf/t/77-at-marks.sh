#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# at: marks (USDT), whose hits and arguments the target knows.
set -eu
. "$TOP/tests/lib.sh"
. "$TOP/tests/bpf/lib.sh"
. "$TOP/tests/at.sh"

N=100
HITS=$T/marks
cc -O2 -g -fomit-frame-pointer -o "$HITS" "$TOP/tests/programs/marks.c"
sum=$((N * (N + 1) / 2))
squares=$((N / 10 * 285)) # the sum of (I % 10)^2

# adds NAME SUM MARK EXPR [IF]: checks the sum of a mark's argument
adds() {
	at "$1" "$N" --at "process.mark(\"$3\")" --value "$4" ${5:+--if "$5"} -u
	check_eq "$1: $3 $4" "$2" "$(weight "$T/$1.folded")"
}

at hits $N --at 'process.mark("registers")'
counts hits '_start;.*;main;in_registers' $N
for number in 3 5; do adds "register$number" $sum registers "\$arg$number"; done
at negative $N --at 'process.mark("registers")' --if '$arg1 < -50' -u
check_eq 'negative: 32 bits' $((N - 50)) "$(weight "$T/negative.folded")"
at negative_whole $N --at 'process.mark("registers")' --if '$arg2 < -50' -u
check_eq 'negative_whole: 64 bits' $((N - 50)) "$(weight "$T/negative_whole.folded")"
adds memory1 $sum memory '$arg1'
adds memory_if $((sum - 1275)) memory '$arg1' '$arg2 < -50'
at memory3 $N --at 'process.mark("memory")' --if '$arg3 == -7' -u
counts memory3 '_start;.*;main;in_memory' 1
for number in 4; do adds "memory$number" $squares memory "\$arg$number"; done
adds memory6 $((N / 10 * 204)) memory '$arg6' '$arg4 < 81'
for number in 7 9; do adds "memory$number" $sum memory "\$arg$number"; done
adds constant1 $((4294967291 * N)) constants '$arg2' '$arg1 == -5'
adds constant3 $((7 * N)) constants '$arg3'
adds constant4 $N constants '$arg4'
status=0
begin_at unread $N --at 'process.mark("constants")' --value '$arg5' -u
check 'unread: is told' grep -q ": $N hits have a number in memory that could not be read" "$T/unread.err"

# a mark with two places, by the names that SystemTap and its notes have for it, and all marks
adds places $((1001 * sum)) two__places '$arg1'
at dash $N --at 'process.mark("two-places")' -u
counts dash '_start;.*;main;twice' $((2 * N))
at provider $N --at 'process.provider("second").mark("two__places")' --value '$arg1' -u
check_eq 'provider: sum' $((1000 * sum)) "$(weight "$T/provider.folded")"
at all $N --at "process(\"$HITS\").mark(\"*\")" --by probe
check_eq 'all: six places' $((6 * N)) "$(weight "$T/all.folded")"

# the kernel tells the program that a mark is used
check_eq 'guarded: off' 0 "$("$HITS" $N)"
adds guarded $sum guarded '$arg1'
check_eq 'guarded: on' $N "$(tail -n 1 "$T/target.out")"
expect_record command 0 --at 'process.mark("guarded")' -- "$HITS" $N
check_eq 'guarded: of a command' $N "$(weight "$T/command.folded")"

# marks of the distribution's files
if command -v c++ >/dev/null; then
	printf '#include <stdexcept>\nint main() { int n = 0; for (int i = 0; i < 30; i++) try { throw std::logic_error(""); } catch (std::exception &) { n++; }
		return n - 30; }\n' >"$T/throw.cc"
	c++ -O1 -o "$T/throw" "$T/throw.cc"
	library=$(ldd "$T/throw" | awk '/libstdc/ { print $3 }')
	if readelf -n "$library" | grep -q 'Name: throw'; then
		expect_record throw 0 --at "process(\"$library\").provider(\"libstdcxx\").mark(\"throw\")" -u -- "$T/throw"
		check_eq 'throw: all' 30 "$(weight "$T/throw.folded" '_start;.*;main;__cxa_throw$')"
		expect_record catch 0 --at "process(\"$library\").mark(\"catch\")" --if '$arg2 != 0' -u -- "$T/throw"
		check_eq 'catch: all' 30 "$(weight "$T/catch.folded")"
	else
		skip 'marks of libstdc++' 'it has none'
	fi
else
	skip 'marks of libstdc++' 'no c++'
fi
if readelf -n /usr/bin/python3 2>/dev/null | grep -q 'Name: gc__start'; then
	expect_record collect 0 --at 'process("/usr/bin/python3").mark("gc__start")' --value '$arg1' -u \
		-- /usr/bin/python3 -c 'import gc; gc.disable(); [gc.collect(2) for i in range(20)]'
	check_eq 'collect: generation 2, each time' 40 "$(weight "$T/collect.folded" ';PyEval_EvalCode;.*$')"
else
	skip 'marks of python' 'it has none'
fi

# refused TEXT ARG…: checks the message of a recording that cannot begin
refused() {
	refused_text=$1
	shift
	status=0
	"$BIN" --engine bpf "$@" -- "$HITS" 1 >"$T/refused.out" 2>"$T/refused.err" || status=$?
	check "$*: $refused_text, $status" grep -qF -e "$refused_text" "$T/refused.err"
	check_eq "$*: one line" 1 "$(grep -c . "$T/refused.err")"
}
refused 'has no such mark; readelf -n' --at 'process.mark("nothing")'
refused 'at the mark guarded: the mark has no such argument' --at 'process.mark("guarded")' --value '$arg2'
refused 'the numbers of a mark are $arg1' --at 'process.mark("guarded")' --value '$count'
refused 'has no calls' --at 'process.mark("guarded")' --latency
