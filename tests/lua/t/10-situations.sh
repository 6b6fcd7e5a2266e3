#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# 10-situations: a program that knows its own stacks, on this system's LuaJIT with its compiler; a process that runs no Lua.
set -u
. "$TOP/tests/lua/lib.sh"

luajit=luajit mode=on
situations luajit '' 20

sleep 100 &
sleeper=$!
"$bin/lj-sample-bt" --engine bpf -p $sleeper -t 1 >"$T/out" 2>"$T/said"
check_eq 'no Lua: exit' 2 $?
check 'no Lua: said' grep -q "no Lua runs in process $sleeper" "$T/said"
kill $sleeper
wait $sleeper 2>/dev/null || :
