#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# 40-shares: the shares of functions are those that LuaJIT's own profiler finds in the same run; and situations.lua says of itself what that
# profiler sees.
# tier: all
set -u
. "$TOP/tests/lua/lib.sh"

# Prints functions with 2 % or more, their shares here and there, and whether these differ by no more than two points and what chance
# makes of so few samples (five standard deviations). LuaJIT's profiler prints "COUNT  FUNCTION".
compare() {
	awk '
	FNR == NR { there[$2] = $1; all_there += $1; next }
	{
		leaf = $0
		sub(/ [0-9]+$/, "", leaf)
		sub(/.*;/, "", leaf)
		sub(/_\[j\]$/, "", leaf)
		if (sub(/^shares:/, "", leaf)) here[leaf] += $NF
		all_here += $NF
	}
	END {
		for (f in there) functions[f]
		for (f in here) functions[f]
		for (f in functions) {
			p = here[f] / all_here
			q = there[f] / all_there
			if (p < 0.02 && q < 0.02) continue
			both = (here[f] + there[f]) / (all_here + all_there)
			chance = 5 * sqrt(both * (1 - both) * (1 / all_here + 1 / all_there))
			apart = p > q ? p - q : q - p
			printf "%-12s %5.1f %% of %d  %5.1f %% of %d  %s\n", f, 100 * p, all_here, 100 * q, all_there, apart <= 0.02 + chance ? "equal" : "unequal"
		}
	}' "$T/$1.jp" "$T/$1.folded" | sort -k 2 -rn
}

# shares NAME MODE: the compiler is on or off
shares() {
	recorder -o "$T/$2.folded" -- luajit "-j$2" "-jp=rm0i4,$T/$2.jp" "$here/shares.lua" 5 >"$T/$2.out" 2>"$T/$2.err"
	status=$?
	check_eq "$1: exit" 0 $status
	[ $status = 0 ] || note "$T/$2.err"
	compare "$2" >"$T/$2.table"
	sed "s/^/# $1: /" "$T/$2.table"
	check "$1: functions" [ "$(wc -l <"$T/$2.table")" -ge 5 ]
	check_eq "$1: unequal shares" '' "$(grep unequal "$T/$2.table")"
}

if luajit -jp=rm0 -e '' >"$T/found" 2>&1; then
	shares interpreted off
	shares compiled on
else
	skip 'shares of functions' "needs LuaJIT's module jit.p"
fi

# Does situations.lua say what LuaJIT's own profiler sees?
for mode in off on; do
	touch "$T/s.go"
	rm -f "$T/s"
	SAMPLES=$T/sampled LUA_PATH="$here/?.lua;;" luajit -l sampler "$programs/situations.lua" "$T/s" 60 $mode >"$T/out" 2>&1 || not_ok "the program, $mode" "$(tail -n 1 "$T/out")"
	"$programs/situations-judge" --lua "$T/s" "$T/sampled" >"$T/verdict"
	set -- $(head -n 1 "$T/verdict")
	check_eq "situations.lua, compiler $mode" good "$(sequential "$1" "$2")"
	grep '^#' "$T/verdict"
done
