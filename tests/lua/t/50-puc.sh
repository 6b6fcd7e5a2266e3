#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# 50-puc: the program that knows its own stacks, by the Lua of PUC-Rio: 5.1, 5.3, 5.4.
set -u
. "$TOP/tests/lua/lib.sh"

# in_order NAME PATTERN WHAT: of the samples in the function at WHAT, those whose stack has C's and Lua's frames as PATTERN says
in_order() {
	counts=$(PATTERN=$2 WHAT=$3 awk '/inconsistent/ { next } $0 ~ ENVIRON["WHAT"] { all += $NF } $0 ~ ENVIRON["WHAT"] && $0 ~ ENVIRON["PATTERN"] { right += $NF }
		END { print right + 0, all + 0 }' "$T/order.folded")
	check "$1: seen" [ "${counts% *}" -ge 50 ]
	check_eq "$1: all in order" "${counts#* }" "${counts% *}"
}

# order VERSION: C's and Lua's frames, each above the one that called it. c: any number of frames of Lua's own file, without symbols.
order() {
	"lua$1" "$here/order.lua" >"$T/said" 2>&1 &
	target=$!
	until_true 60 grep -q '^ready' "$T/said" || not_ok "Lua $1, order" "$(head -n 1 "$T/said")"
	expect_record order 0 -p $target -t 3 --mixed
	kill $target
	wait $target 2>/dev/null || :
	c='(lua5[^;]*;)*'
	main=";${c}lua_pcallk?;${c}order:main chunk;"
	in_order "Lua $1, sort" "${main}order:sorts;table.sort;${c}lua_callk?;${c}order.lua:4[; ]" 'order.lua:4[; ]'
	in_order "Lua $1, metamethod" "${main}order:indexes;lua5[^;]*;${c}order.lua:6[; ]" 'order.lua:6[; ]'
	in_order "Lua $1, coroutine" "${main}order:resumes;[^;]*;${c}lua_resume;${c}order.lua:9;(pcall;(${c}lua_pcallk;${c})?order.lua:8|order:yields)[; ]" '(order.lua:8|order:yields)[; ]'
}

for version in 5.1 5.3 5.4; do
	if command -v lua$version >"$T/found"; then
		situations "Lua $version" '' '' off lua$version
		situations "Lua $version, mixed" '' --mixed off lua$version
		order $version
	else
		skip "Lua $version" "needs lua$version"
	fi
done
