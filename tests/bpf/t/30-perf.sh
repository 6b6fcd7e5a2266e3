#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# 30-perf: the same programs under perf at the same time, which copies stacks and unwinds them afterwards: functions have the same shares.
# tier: all
set -eu
. "$TOP/tests/lib.sh"
. "$TOP/tests/bpf/lib.sh"

if ! perf version >/dev/null 2>&1; then
	skip all 'no perf'
	exit 0
fi

# folded_by_perf DATA: user frames alone, root first
folded_by_perf() {
	perf script -i "$1" --no-inline --max-stack 1000 -F comm,tid,ip,sym 2>/dev/null | awk '
		function flush() { if (stack != "") count[stack]++; stack = "" }
		/^[^ \t]/ || /^$/ { flush(); next }
		/^[ \t]+[0-9a-f]+ / {
			if (length($1) == 16 && $1 ~ /^f/) next
			frame = $0
			sub(/^[ \t]+[0-9a-f]+ /, "", frame); sub(/\+0x[0-9a-f]+$/, "", frame)
			stack = frame (stack == "" ? "" : ";" stack)
		}
		END { flush(); for (stack in count) print stack, count[stack] }'
}

# compare NAME [SIZE]: $target under both for some seconds; perf copies SIZE bytes of each stack
compare() {
	perf record -q -o "$T/perf.data" -e cpu-clock -F 199 --call-graph "dwarf,${2:-16384}" -p "$target" -- sleep 2.5 >"$T/perf.out" 2>&1 &
	perf=$!
	record "$1" -p "$target" -u -t 2.5
	wait $perf || note "$T/perf.out"
	finish
	folded_by_perf "$T/perf.data" >"$T/perf.folded"
	if "$TOP/tests/bpf/judge-perf" "$T/perf.folded" "$T/$1.folded" >"$T/table"; then
		ok "$1"
	else
		not_ok "$1" "shares differ from perf's"
	fi
	note "$T/table"
	expect_account "$1: the account" "$1" 99
}

sh "$TOP/tests/programs/build" "$T/programs"

# at once: they have no word to say that they are there
begin() {
	"$@" >/dev/null 2>&1 &
	target=$!
	await_start "$target"
}

begin "$T/programs/ladder" 600
compare ladder
begin perl "$T/programs/work.pl" 600
compare perl
begin xz -9 -T1 -c /dev/zero
compare xz
if ! missing throw >/dev/null; then
	start "$CASES/throw" 600
	compare 'C++ exceptions'
fi
