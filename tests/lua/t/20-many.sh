#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# 20-many: many traces, which are thrown away all the time, and many Lua states in a process: no stack has a wrong frame.
set -u
. "$TOP/tests/lua/lib.sh"

# many MODE: records it as $mode
many() {
	mode=$1
	shift
	luajit "$here/many.lua" "$mode" >"$T/said" 2>&1 &
	target=$!
	until_true 60 grep -q '^ready' "$T/said" || not_ok "$mode: the program" "$(head -n 1 "$T/said")"
	sleep 1
	expect_record "$mode" 0 -p $target -t 5 "$@"
	kill $target
	wait $target 2>/dev/null || :
	[ -s "$T/$mode.folded" ] || not_ok "$mode: stacks" 'there are none'
}

# Prints stacks with frames of functions with unequal numbers, and with frames that the program does not have.
wrong() {
	sed 's/ [0-9]*$//; s/_\[j\]//g; s/; *$//' "$T/$mode.folded" | awk -F';' '{
		number = ""
		for (i = 1; i <= NF; i++) {
			if ($i ~ /^(many:.*|\[lua: (inconsistent|not running)\]|\[trace\]|assert|jit[.]flush|ffi[.].*|lua_.*|luajit.*)$/) continue
			of = $i
			sub(/^f/, "", of)
			sub(/:.*/, "", of)
			if ($i !~ "^f" of ":([0-9]+|inner_" of ")$" || (number != "" && of != number)) { print; next }
			number = of
		}
	}'
}

# share PATTERN: percentage of samples whose stack has it
share() {
	awk -v pattern="$1" '{ all += $NF } $0 ~ pattern { those += $NF } END { printf "%.2f\n", all ? 100 * those / all : 100 }' "$T/$mode.folded"
}

# functions: how many were seen, inlined
functions() {
	grep -oE 'inner_[0-9]+_\[j\]' "$T/$mode.folded" | sort -u | wc -l
}

for mode in flushes states; do
	many $mode
	check_eq "$mode: wrong stacks" '' "$(wrong | sort -u | head -n 5)"
	echo "# $mode: $(share inconsistent) % inconsistent, $(share '[[]trace') % in traces that are gone, $(functions) functions inlined"
	check "$mode: inconsistent" awk "BEGIN { exit !($(share 'inconsistent|not running') <= 1) }"
	check "$mode: inlined functions" [ "$(functions)" -ge 50 ]
done
