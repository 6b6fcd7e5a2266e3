#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# 10-situations: a program that knows its own stacks, by the LuaJIT of this system; the program and the judge are judged first.
set -u
. "$TOP/tests/lua/lib.sh"

# moments MODE COMMAND…: $T/s is what the program says of itself
moments() {
	mode=$1
	shift
	rm -f "$T/s"
	touch "$T/s.go"
	"$@" "$programs/situations.lua" "$T/s" 20 "$mode" >/dev/null 2>"$T/errors" || not_ok "the program, $mode" "$(head -n 1 "$T/errors")"
}

# The judge has to be right with what is right, and to find what is not.
test_judge() {
	moments off luajit
	for mistake in none few-leaves line frame few stranger inconsistent cut leaf leaf-line outside; do
		"$programs/situations-forge" --lua "$T/s" $mistake >"$T/forged"
		"$programs/situations-judge" --lua "$T/s" "$T/forged" '' >"$T/results"
		case $?$mistake in
		0none | 0few-leaves) ok "judge: $mistake" ;;
		1none | 1few-leaves) not_ok "judge: $mistake" "$(grep '^not ok' "$T/results" | head -n 1)" ;;
		1*) ok "judge: $mistake" ;;
		*) not_ok "judge: $mistake" "$(grep -c '^not ok' "$T/results") mistakes found" ;;
		esac
	done
}

# Does the program say what LuaJIT's own profiler sees? Samples are few.
test_program() {
	for mode in off on; do
		SAMPLES=$T/sampled LUA_PATH="$here/?.lua;;"
		export SAMPLES LUA_PATH
		moments $mode luajit -l sampler
		unset SAMPLES LUA_PATH
		"$programs/situations-judge" --lua "$T/s" "$T/sampled" "LuaJIT's profiler, compiler $mode: " >"$T/judged" 2>&1
		grep -E '^#|: (nothing but what|places|equal stacks|stacks with an|unnamed)' "$T/judged" >"$T/results"
		check "LuaJIT's profiler, compiler $mode: judged" grep -q 'equal stacks' "$T/results"
		cat "$T/results"
		! grep -q '^not ok' "$T/results" || : >"$T_top/failed"
	done
}

test_judge
test_program
both here '' luajit
situations 'here, mixed' '' --mixed on luajit
situations 'here, with kernel stacks' '' -k off luajit
