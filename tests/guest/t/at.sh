#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# at: stacks at probe points with SystemTap, whose hits the target knows, beside a timer, which the built-in engine does not know. Debian's
# kernels come without what SystemTap needs to find their functions.
# suites: sid trixie bookworm
set -eu
. /lab/guest.sh
. /lab/record.sh
. /lab/at.sh

BIN=sample-bt
prepare() {
	HITS=$LAB_WORK/hits
	cc -O2 -g -fomit-frame-pointer -o "$HITS" /lab/programs/hits.c
	lab_start "$HITS" wait 500 20
	lab_module at -p "$target" --at "process(\"$HITS\").function(\"seldom\")" --at 'kernel.trace("raw_syscalls:sys_exit")' \
		--at 'timer.ms(50)'
	lab_finish
}

recorder() {
	lab_module at --script at --min-quality 1 "$@"
}

in_guest() {
	HITS=$LAB_WORK/hits
	at probes '500 20' --by probe
	counts probes 'process.".*/hits".\.function."seldom".;_start;.*;main;repeat;seldom' 20
	counts probes 'kernel.trace."raw_syscalls:sys_exit".;.*;seldom;getppid;.*' 20
	lab_keep "$T"/*.folded "$T"/*.err
}

guest_main "$@"
