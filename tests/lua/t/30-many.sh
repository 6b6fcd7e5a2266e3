#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# 30-many: many traces, which are thrown away all the time, and many Lua states in a process: each stack has the frames of one function.
# tier: all
set -u
. "$TOP/tests/lua/lib.sh"

# count_stacks: prints how many samples of the recording are right and how many are wrong, which have frames of functions with unequal numbers,
# or frames that the program does not have
count_stacks() {
	sed 's/_\[j\]//g; s/; *$//' "$T/many.folded" | awk '{
		n = $NF
		sub(/ [0-9]+$/, "")
		number = ""
		bad = 0
		nr = split($0, frame, ";")
		for (i = 1; i <= nr; i++) {
			if (frame[i] ~ /^(many:.*|\[lua: not running\]|\[trace\]|assert|jit[.]flush|ffi[.].*|lua_.*|luajit.*)$/) continue
			of = frame[i]
			sub(/^f/, "", of)
			sub(/:.*/, "", of)
			if (frame[i] !~ "^f" of ":([0-9]+|inner_" of ")$" || (number != "" && of != number)) bad = 1
			number = of
		}
		if (bad) wrong += n; else right += n
	} END { print right + 0, wrong + 0 }'
}

# many MODE: until it is decided, and fifty functions were seen inlined
many() {
	luajit "$here/many.lua" "$1" >"$T/said" 2>&1 &
	target=$!
	until_true 60 grep -q '^ready' "$T/said" || not_ok "$1: the program" "$(head -n 1 "$T/said")"
	decided=more right=0 wrong=0 many_end=$(($(date +%s) + 60))
	: >"$T/inlined"
	while [ "$(date +%s)" -lt "$many_end" ]; do
		record many -p $target -t 2
		counts=$(count_stacks)
		right=$((right + ${counts% *})) wrong=$((wrong + ${counts#* }))
		decided=$(sequential $right $wrong)
		grep -oE 'inner_[0-9]+_\[j\]' "$T/many.folded" >>"$T/inlined"
		inlined=$(sort -u "$T/inlined" | wc -l)
		[ "$decided" = more ] || [ "$inlined" -lt 50 ] || break
	done
	kill $target
	wait $target 2>/dev/null || :
	check_eq "$1: stacks, $right right and $wrong wrong" good "$decided"
	check "$1: inlined functions" [ "$inlined" -ge 50 ]
}

many flushes
many states
