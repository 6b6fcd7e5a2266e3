#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# 20-puc: the Lua of PUC-Rio: a program that knows its own stacks, and the order of C's and Lua's frames.
set -u
. "$TOP/tests/lua/lib.sh"

# right_order TOP PATTERN: adds the samples with that frame on top to $right if their stacks match PATTERN, and otherwise to $wrong
right_order() {
	set -- $(TOP_FRAME="$1[; ]" PATTERN="$2;$c$1[; ]" awk '$0 ~ ENVIRON["TOP_FRAME"] { if ($0 ~ ENVIRON["PATTERN"]) right += $NF; else wrong += $NF }
		END { print right + 0, wrong + 0 }' "$T/order.folded")
	right=$((right + $1)) wrong=$((wrong + $2))
	[ "$1" != 0 ] || unseen=yes
}

# order VERSION: checks on order.lua that frames of C and of Lua are each above the frame that called them. c matches any number of frames
# of Lua's own file, which has no symbols.
order() {
	c='(lua5[^;]*;)*'
	main=";${c}lua_pcallk?;${c}order:main chunk;"
	decided=more right=0 wrong=0
	until_true order_decides "$1" || :
	check_eq "Lua $1: C's and Lua's frames are in order" good "$decided"
	[ "$decided" = good ] || note "$T/order.folded"
}

order_decides() {
	record order --mixed -- "lua$1" "$here/order.lua"
	unseen=''
	right_order order:compares "${main}order:sorts;table.sort;${c}lua_callk?"
	right_order order:__index "${main}order:indexes;lua5[^;]*"
	right_order order:yields "${main}order:resumes;[^;]*;${c}lua_resume;${c}order:guards(;pcall(;${c}lua_pcallk)?)?"
	decided=$(sequential "$right" "$wrong")
	case $decided$unseen in goodyes) decided=more ;; esac
	[ "$decided" != more ]
}

for version in 5.1 5.2 5.3 5.4; do
	if command -v lua$version >"$T/found"; then
		order $version
	else
		skip "Lua $version" "needs lua$version"
	fi
done
luajit=lua5.4 mode=off
if command -v $luajit >"$T/found"; then situations 'Lua 5.4, mixed' '' 20 --mixed; fi
