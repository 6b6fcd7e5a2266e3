#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# 70-trace-exits: lj-trace-exits on programs that leave their traces a known number of times, on the LuaJIT of this system and of Debian's
# other releases.
set -u
. "$TOP/tests/lua/lib.sh"
. "$TOP/tests/roots.sh"

# counts: checks that the probe is in place and that the program waits
counts() {
	find "/proc/$counter/fd" -lname '*bpf[-_]link*' 2>/dev/null | grep -q . && grep -q '^State:	S' "/proc/$counter/status"
}

# exits NAME ROOT MODE COUNT LUA…: checks that lj-trace-exits counts COUNT exits when exits.lua, in ROOT ("" or a folder), leaves its traces
# so often; leaves $T/exits and $T/said
exits() {
	name=$1 root=$2 mode=$3 expected=$4
	shift 4
	work=$(mktemp -d "$root/tmp/flametap.XXXXXX") || return
	cp "$here/exits.lua" "$work"
	mkfifo "$work/in"
	: >"$work/out"
	${root:+chroot "$root"} "$@" "${work#"$root"}/exits.lua" "$mode" <"$work/in" >"$work/out" 2>"$work/errors" &
	target=$!
	exec 9>"$work/in"
	until_true grep -q '^ready' "$work/out" || not_ok "$name: the program" "$(head -n 1 "$work/errors")"
	# SIGINT must end it, also in the background
	env --default-signal=INT "$bin/lj-trace-exits" -p "$target" >"$T/exits" 2>"$T/said" 9>&- &
	counter=$!
	until_true counts
	echo >&9
	until_true grep -q '^done' "$work/out"
	[ "$mode" = end ] || kill -INT "$counter"
	wait "$counter"
	status=$?
	exec 9>&-
	wait "$target"
	cp "$work/errors" "$T/errors"
	rm -rf "$work"
	check_eq "$name: exit" 0 "$status"
	check_eq "$name: exits" "$expected" "$(awk -F, 'NR > 1 { sum += $4 } END { print sum + 0 }' "$T/exits")"
	check "$name: in all" grep -q "^lj-trace-exits: $expected exits in [0-9.]* s: [0-9.]* per second$" "$T/said"
}

# programs NAME ROOT LUA…: checks all modes of exits.lua
programs() {
	of=$1 in=$2
	shift 2
	exits "$of" "$in" on 100000 "$@"
	check_eq "$of: where the trace starts" exits.lua:4,6 "$(awk -F, 'NR == 2 { sub(".*/", "", $6); print $6 "," $7 }' "$T/exits")"
	exits "$of, not compiled" "$in" off 0 "$@"
	# each of the fifty loops that precede the counted ones is left once, too
	exits "$of, with flushes" "$in" flush 100050 "$@"
	exits "$of, ending" "$in" end 100000 "$@"
}

# Compares a side trace's parent and link with the output of LuaJIT's own module.
side_traces() {
	exits 'side trace' '' side 30000 luajit -jv
	traced=$(sed -n 's/^\[TRACE *\([0-9]*\) (\([0-9]*\)\/\([0-9]*\)) exits.lua:\([0-9]*\) -> \([0-9]*\)\]$/\1 \4 \2 \3 \5 root/p' "$T/errors")
	check_eq 'side trace: parent, exit, link' "$(echo "$traced" | head -n 1)" \
		"$(awk -F, 'NR == 2 { print $2, $7, $8, $9, $10, $11 }' "$T/exits")"
}

refusals() {
	"$bin/lj-trace-exits" -p $$ >"$T/exits" 2>"$T/said"
	check_eq 'no LuaJIT: exit' 2 $?
	check 'no LuaJIT: said' grep -q "^lj-trace-exits: no LuaJIT in process $$: " "$T/said"
	luajit -e 'print(1) io.flush() while true do end' >"$T/out" &
	target=$!
	until_true test -s "$T/out"
	"$bin/lj-trace-exits" -p "$target" -t 100ms >"$T/exits" 2>"$T/said"
	check_eq 'with a time: exit' 0 $?
	check 'with a time: said' grep -q ' exits in 0.1 s: ' "$T/said"
	kill "$target"
	wait "$target" 2>/dev/null || :
}

programs here '' luajit
side_traces
refusals
for release in $luajits; do
	if luajit_root "$release"; then programs "$release" "$root" "$luajit"; else skip "$release" "$no_root"; fi
done
