#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# at: stacks at probe points with SystemTap, whose hits the target knows; also at ones that the built-in engine does not know.
# suites: sid trixie bookworm
set -eu
. /lab/guest.sh
. /lab/record.sh
. /lab/at.sh

BIN=sample-bt
points='--at kernel.function("__x64_sys_getppid") --at kernel.trace("raw_syscalls:sys_exit") --at timer.ms(50)'

prepare() {
	HITS=$LAB_WORK/hits
	cc -O2 -g -fomit-frame-pointer -o "$HITS" /lab/programs/hits.c
	lab_start "$HITS" wait 500 20
	# shellcheck disable=SC2086 # words
	lab_module at -p "$target" $points
	lab_finish
}

recorder() {
	lab_module at --script at --min-quality 1 "$@"
}

in_guest() {
	HITS=$LAB_WORK/hits
	at probes '500 20' --by probe
	counts probes 'kernel.function."__x64_sys_getppid".;_start;.*;seldom;getppid;.*__[a-z0-9]*_sys_getppid_\[k\]' 20
	counts probes 'kernel.trace."raw_syscalls:sys_exit".;.*;seldom;getppid;.*' 20
	lab_keep "$T"/*.folded "$T"/*.err
}

guest_main "$@"
