#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# lab: is the laboratory itself sound? The module that prepare compiled, with a patched copy of the runtime if it needs one, is found in
# stap's cache, and its timer, tracepoint and uprobe fire, on two CPUs.
# suites: sid trixie bookworm
# tier: all trixie bookworm
set -eu
. /lab/guest.sh

target=/lab/made/lab/target

# -v only adds a report of the five passes on stderr
run_script() {
	lab_stap -v /lab/t/lab.stp "$target"
}

prepare() {
	cc -g -O2 -o "$target" /lab/t/lab.c
	run_script
}

# value NAME [KEY]: prints a figure of the script's output
value() {
	awk -v line="$*" 'index($0, line " ") == 1 { print $NF; found = 1 } END { if (!found) print 0 }' "$T/out"
}

# positive NAME FIGURE…: checks that all figures are positive
positive() {
	name=$1
	shift
	check "$name" test "$(value "$@")" -gt 0
}

in_guest() {
	check_eq 'two CPUs are online' 2 "$(getconf _NPROCESSORS_ONLN)"
	check_eq 'the kernel is the one prepared for' "$(echo /lib/modules/*)" "/lib/modules/$KVER"
	check 'the loopback answers' sh -c 'ip -o link show lo | grep -q "LOWER_UP"'

	"$target" &
	run_script >"$T/out" 2>"$T/err" && ok 'stap runs' || not_ok 'stap runs' "exit $?"
	note "$T/err"
	check 'the module comes from the cache' grep -q 'Pass 4: using cached /root/.systemtap/cache/.*ko' "$T/err"
	positive 'timer.profile fires on CPU 0' ticks 0
	positive 'timer.profile fires on CPU 1' ticks 1
	positive 'a tracepoint fires' switches
	positive 'a uprobe fires' calls
	positive 'task_struct is read with headers alone' reads
	note "$T/out"
}

guest_main "$@"
