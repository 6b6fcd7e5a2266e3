#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# 40-sampler: the stacks that situations.lua reports are the stacks that LuaJIT's own profiler sees.
# tier: all
set -u
. "$TOP/tests/lua/lib.sh"

for mode in off on; do
	touch "$T/s.go"
	rm -f "$T/s"
	SAMPLES=$T/sampled LUA_PATH="$here/?.lua;;" luajit -l sampler "$programs/situations.lua" "$T/s" 60 $mode >"$T/out" 2>&1 ||
		not_ok "the program, $mode" "$(tail -n 1 "$T/out")"
	"$programs/situations-judge" --lua "$T/s" "$T/sampled" >"$T/verdict"
	# shellcheck disable=SC2046 # words
	set -- $(head -n 1 "$T/verdict")
	check_eq "situations.lua, compiler $mode" good "$(sequential "$1" "$2")"
	grep '^#' "$T/verdict"
done
