#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# 50-operators: the bytecode that Lua executes, as a label.
set -u
. "$TOP/tests/lua/lib.sh"

cat >"$T/busy.lua" <<'END'
function calls() return #('x'):rep(1e7) end
function loops() local sum = 0; for i = 1, 1e7 do sum = sum + i % 7 end; return sum end
while true do _G[arg[1]]() end
END

# busy FUNCTION INTERPRETER [OPTION]: runs a function that spends its time in one bytecode, or in a trace
busy() {
	function=$1
	shift
	"$@" "$T/busy.lua" "$function" &
	target=$!
	await_start $target
}

for lua in 'luajit -joff' lua5.1 lua5.2 lua5.3 lua5.4; do
	# shellcheck disable=SC2086 # may be two words
	busy calls $lua
	record_until_seen "$lua: a function in C" '^CALL;.*;string[.]rep ' -p $target --by op
	kill $target
done
busy loops luajit
record_until_seen 'a trace' '^\[compiled\];.*_\[j\] ' -p $target --by op
kill $target
wait 2>/dev/null
