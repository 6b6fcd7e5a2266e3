#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# 30-perf: records the same programs with perf at the same time, which copies stacks and unwinds them afterwards, and must see the same
# calls.
# tier: all
set -eu
. "$TOP/tests/lib.sh"
. "$TOP/tests/bpf/lib.sh"

if ! perf version >/dev/null 2>&1; then
	skip all 'no perf'
	exit 0
fi

# folded_by_perf DATA: prints user stacks, root first
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

# other_calls THEIRS OURS: prints "CALLER;CALLEE PERCENT PERCENT" for the calls that are in 5 % of the stacks of one file and in no stack of
# the other one
other_calls() {
	awk '
		FNR == 1 { file++ }
		{
			n = $NF; all[file] += n
			sub(/ [0-9]+$/, "")
			k = split($0, frames, ";"); caller = ""; split("", seen)
			for (i = 1; i <= k; i++) {
				name = frames[i]
				sub(/@.*/, "", name); sub(/^__GI_+/, "", name); sub(/\(.*/, "", name); sub(/\.cold$/, "", name)
				sub(/^__memcpy_/, "__memmove_", name) # two names of one function
				# frames without a name, and names that were only derived from callers, which perf does not do
				if (name ~ /^(\[.*|.*\+0x[0-9a-f]+|main|_start|)$/) { caller = ""; continue }
				call = caller ";" name
				if (caller != "" && !(call in seen)) { seen[call] = calls[call] = 1; of[file, call] += n }
				caller = name
			}
		}
		END {
			if (all[1] < 100 || all[2] < 100) { print "too few:", all[1] + 0, all[2] + 0; exit }
			for (call in calls)
				for (file = 1; file <= 2; file++)
					if (of[file, call] >= all[file] / 20 && !of[3 - file, call])
						printf "%s %.1f %.1f\n", call, 100 * of[1, call] / all[1], 100 * of[2, call] / all[2]
		}' "$1" "$2"
}

# compare NAME: records $target with both until each has seen all frequent calls of the other one
compare() {
	: >"$T/theirs"
	: >"$T/ours"
	until_true same_calls "$1" || :
	finish
	check_eq "$1: calls that only one sees" '' "$(cat "$T/calls")"
	note "$T/perf.out"
}

same_calls() {
	perf record -q -o "$T/perf.data" -e cpu-clock -F 199 --call-graph dwarf,16384 -p "$target" -- sleep 2 >"$T/perf.out" 2>&1 &
	record "$1" -p "$target" -u -t 2
	wait $! || :
	folded_by_perf "$T/perf.data" >>"$T/theirs"
	cat "$T/$1.folded" >>"$T/ours"
	other_calls "$T/theirs" "$T/ours" >"$T/calls"
	[ ! -s "$T/calls" ]
}

sh "$TOP/tests/programs/build" "$T/programs"

# begin COMMAND…: returns at once, because these programs print nothing when they have started
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
