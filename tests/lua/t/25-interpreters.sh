#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# 25-interpreters: a program that knows its own stacks, on the LuaJIT and the PUC Lua of this system, on the LuaJIT of Debian's other
# releases, on OpenResty's fork in a program that is linked with it, and on Lua 5.5 of sid; with and without their compilers.
# tier: all
set -u
. "$TOP/tests/lua/lib.sh"
. "$TOP/tests/roots.sh"

# both NAME ROOT LUA: runs with and without the compiler, and between native frames
both() {
	luajit=$3
	mode=off
	situations "$1, interpreted" "$2" 20
	mode=on
	situations "$1, compiled" "$2" 20
	situations "$1, mixed" "$2" 20 --mixed
}

both here '' luajit
mode=off
situations 'here, with kernel stacks' '' 20 -k
for luajit in lua5.1 lua5.2 lua5.3 lua5.4; do
	if ! command -v $luajit >"$T/found"; then
		skip "$luajit" "not installed"
		continue
	fi
	situations "$luajit" '' 20
	situations "$luajit, mixed" '' 20 --mixed
done
if take_root lua5.5-sid sid lua5.5; then # by its own loader, as it needs /proc, which the root has not
	libraries=$root/usr/lib/x86_64-linux-gnu
	luajit="$root/usr/lib64/ld-linux-x86-64.so.2 --library-path $libraries $root/usr/bin/lua5.5"
	situations lua5.5 '' 20
	situations 'lua5.5, mixed' '' 20 --mixed
else
	skip lua5.5 "$no_root"
fi
for release in $luajits; do
	if luajit_root "$release"; then both "$release" "$root" "$luajit"; else skip "$release" "$no_root"; fi
done
