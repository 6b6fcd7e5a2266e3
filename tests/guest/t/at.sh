#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# at: stacks at probe points with SystemTap, whose hits the target knows, beside a timer, which the built-in engine does not know. Debian's
# kernels come without what SystemTap needs to find their functions, and the returns of functions.
# suites: sid trixie bookworm
# tier: all trixie bookworm
set -eu
. /lab/guest.sh
. /lab/record.sh
. /lab/at.sh

BIN=sample-bt
prepare() {
	HITS=$LAB_WORK/hits
	cc -O2 -g -fomit-frame-pointer -pthread -o "$HITS" /lab/programs/hits.c
	lab_start "$HITS" wait 500 20
	lab_module at -p "$target" --at "process(\"$HITS\").function(\"seldom\")" --at 'kernel.trace("raw_syscalls:sys_exit")' \
		--at 'timer.ms(50)'
	lab_module value -p "$target" --at "process(\"$HITS\").function(\"give\")" --value '$bytes' --if '$number % 2 == 1' --distr
	lab_module latency -p "$target" --at syscall.clock_nanosleep --at syscall.write --latency --if 'retval >= 0'
	lab_finish
}

recorder() {
	lab_module "${module-at}" --script at --min-quality 1 "$@"
}

in_guest() {
	HITS=$LAB_WORK/hits
	at probes '500 20' --by probe --slice 10ms
	slices_add_up probes
	counts probes 'process.".*/hits".\.function."seldom".;_start;.*;main;repeat;seldom' 20
	counts probes 'kernel.trace."raw_syscalls:sys_exit".;.*;seldom;getppid;.*' 20
	module=value
	at value 'values 100' --by range
	counts value '[0-9]*;_start;.*;main;give' 25000 # the sum of 10 * I for the odd I up to 100
	check_eq 'value: the lowest range' 'range 10' "range $(sed -n 's/^\([0-9]*\);.*/\1/p' "$T/value.folded" | sort -n | head -n 1)"
	module=latency
	# SystemTap may skip a probe while another processor is in one, and the probes of system calls run for all tasks
	begin_at latency 'calls 10' --by probe --slice 10ms
	note "$T/latency.err"
	check_eq 'latency: exit code' 0 "$status"
	slices_add_up latency
	check 'latency: at least 20 ms' test "$(weight "$T/latency.folded" '^syscall.clock_nanosleep;.*;clock_nanosleep;.*')" -ge 20000000
	begin_at latency_test 'values 100' --by probe
	note "$T/latency_test.err"
	check_eq 'latency_test: exit code' 0 "$status"
	check_eq 'latency_test: calls' 0 "$(grep -c '^syscall.clock' "$T/latency_test.folded")"
	lab_keep "$T"/*.folded "$T"/*.err
}

guest_main "$@"
