#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# 60-versions: the LuaJIT of Debian's other releases, and OpenResty's fork in a program that is linked to it; a process that runs no Lua.
set -u
. "$TOP/tests/lua/lib.sh"

. "$TOP/tests/roots.sh"

# version NAME SUITE PACKAGE
version() {
	program=/usr/bin/luajit
	if ! lua_root "$@"; then
		skip "$1" "$no_root"
		return
	fi
	case $3 in
	lib*)
		if ! make_host; then
			not_ok "$1: the host" 'does not compile'
			head -n 5 "$T/cc" | note
			return
		fi
		;;
	esac
	if [ "$program" = /usr/bin/luajit ] && ! runs $program -e "return 1"; then
		skip "$1" 'needs root'
	else
		both "$1" "$root" $program
		[ $program = /usr/bin/luajit ] || situations "$1, mixed" "$root" --mixed on $program
	fi
}

# None, and others.
no_lua() {
	sleep 100 &
	sleeper=$!
	"$bin/lj-sample-bt" --engine bpf -p $sleeper -t 1 >"$T/out" 2>"$T/said"
	check_eq 'no Lua: exit' 2 $?
	check 'no Lua: said' grep -q "no Lua runs in process $sleeper" "$T/said"
	kill $sleeper
	wait $sleeper 2>/dev/null || :
}

echo "$luas" >"$T/luas"
while read -r root_name suite package; do
	version "$root_name" "$suite" "$package" </dev/null
done <"$T/luas"
no_lua
