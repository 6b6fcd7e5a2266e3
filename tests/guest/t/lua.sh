#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# lua: Lua stacks by real SystemTap, with modules that were built without a particular Lua: a program that knows its own stack at each
# moment, in LuaJIT, interpreted and compiled, and in PUC Lua; where Lua waits; and a user's own script.
# roots: lua-trixie
# tier: all
set -eu
. /lab/guest.sh
. /lab/record.sh
. /lab/situations.sh

language=lua
luajit=luajit
by_callers=yes

prepare() {
	lab_start "$luajit" -e 'while true do end'
	lab_record -F 100 --lua -p "$target" -o "$LAB_WORK/l.ko"
	lab_record --script off-cpu --lua -k -p "$target" -o "$LAB_WORK/off.ko"
	lab_finish
	cat >"$LAB_WORK/own.stp" <<-'END'
		probe kernel.trace("sched_process_fork")
		{
			if (pid() != target())
				next
			print(lua_backtrace_text())
			lua_print_backtrace()
			printf("%s at %s, %s\n", lua_function(), lua_location(), lua_state_name(lua_backtrace()))
			exit()
		}
	END
	(cd "$LAB_WORK" && stap -p4 -r "$KVER" -m lua_own -I /usr/local/share/flametap/tapsets/vm -I /usr/local/share/flametap/tapsets/lua own.stp >/dev/null)
}

recorder() {
	sample-bt --module "$LAB_WORK/$module.ko" "$@"
}

# Where Lua waits, with the kernel's part: in a C function that the interpreter calls, and in one that a trace calls; only the trace's last
# snapshot is known.
waits() {
	cat >"$T/waits.lua" <<-'END'
		local ffi = require 'ffi'
		ffi.cdef 'int poll(void *, unsigned long, int);'
		local function naps() return ffi.C.poll(nil, 0, 20) + 1 end
		while true do
			for i = 1, 1000 do
				local n = naps()
			end
		end
	END
	for mode in off on; do
		where='waits:main chunk;waits:naps;ffi[.]meta[.]__call'
		[ $mode = off ] || where='waits:main chunk_\[j\](;waits:naps_\[j\])?'
		lab_start "$luajit" -j$mode "$T/waits.lua"
		sleep 3
		module=off
		expect_record waits-$mode 0 --script off-cpu --lua -k -p "$target" -t 4
		check "waits, $mode: where it waits" grep -qE "(^|;)$where;[^;]*_\[k\];.*_\[k\][; ]" "$T/waits-$mode.folded"
		check_eq "waits, $mode: nothing else" '' "$(grep -v 'waits:main chunk' "$T/waits-$mode.folded")"
		lab_finish
		lab_keep "$T/waits-$mode".*
	done
}

own_script() {
	cat >"$T/forks.lua" <<-'END'
		local function forks() local code = os.execute 'sleep 0.1'
			return code end
		local call = assert(loadstring 'local f = ... -- "süb"\nf()\nreturn 1')
		while true do
			call(forks)
		end
	END
	lab_start "$luajit" "$T/forks.lua"
	sample-bt --engine stap --lua -p "$target" --module "$LAB_WORK/l.ko" -d >"$T/described"
	values=$(sed -n 's/^# staprun .*[.]ko //p' "$T/described")
	source='[string \"local f = ... -- \"s\u00FCb\"...\"]'
	frames="execute ?
forks:f $T/forks.lua:1
$source:main chunk $source:2
forks:main chunk $T/forks.lua:5
C ?"
	# shellcheck disable=SC2086
	timeout 300 staprun -R -x "$target" "$LAB_WORK/lua_own.ko" $values >"$T/own.out" 2>"$T/own.err" || :
	check_eq "a user's own script" "$frames
$(echo "$frames" | sed 's/^/ /')
execute at $T/forks.lua:1, c" "$(sed 's/0x[0-9a-f]* ?/C ?/' "$T/own.out")"
	lab_keep "$T/own.out" "$T/own.err" "$T/described"
	lab_finish
}

refusals() {
	lab_start "$luajit" -e 'while true do end'
	sample-bt --engine stap --mixed --lua -p "$target" -t 1 >"$T/out" 2>"$T/err" && status=0 || status=$?
	check_eq 'mixed: exit code' 64 "$status"
	check 'mixed: says why' grep -q 'needs the built-in engine' "$T/err"
	lab_finish
}

in_guest() {
	module=l
	for mode in off on; do
		situations "situations-$mode" '' 150 --lua
	done
	mode=on
	situations trixie /lab/roots/lua-trixie 150 --lua
	mode=off
	for version in 5.1 5.3 5.4; do
		luajit=lua$version
		situations "$version" '' 100 --lua
	done
	luajit=luajit
	waits
	own_script
	refusals
}

guest_main "$@"
