#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# bpf-at: stacks at probe points of each kind on this kernel, whose hits the target knows.
# suites: sid trixie bookworm bullseye
# engine: bpf
# tier: all sid trixie bookworm
set -eu
. /lab/guest.sh
. /lab/record.sh
. /lab/at.sh

BIN=sample-bt

prepare() {
	HITS=$LAB_WORK/hits
	cc -O2 -g0 -fomit-frame-pointer -pthread -o "$HITS" /lab/programs/hits.c
	cc -O2 -g0 -fomit-frame-pointer -o "$LAB_WORK/marks" /lab/programs/marks.c
}

# is_older VERSION: checks that this kernel is older
is_older() {
	[ "$(printf '%s\n%s\n' "$1" "$(uname -r)" | sort -V | head -n 1)" != "$1" ]
}

# refused TEXT ARG…: checks that a recording cannot begin, and what is said
refused() {
	refused_text=$1
	shift
	lab_start "$HITS" forever
	status=0
	sample-bt -p "$target" -t 1 "$@" >"$T/refused.out" 2>"$T/refused.err" || status=$?
	lab_finish
	check_eq "$*: exit code" 2 "$status"
	check "$*: $refused_text" grep -qF "$refused_text" "$T/refused.err"
}

# more: what differs only in user space from the others, for check-all
more() {
	at returned '500 20' --at 'kernel.function("__x64_sys_getppid").return' -k
	check_eq 'returned: all hits' 20 "$(weight "$T/returned.folded")"
	at value 'values 100' --at 'process.function("give")' --value '$arg2' --if '$arg1 > 50' -u
	counts value '_start;.*;main;give' 37750
	at written 'values 100' --at syscall.write.return --value '$return' -u
	counts written '_start;.*' 10000
	at recursive 'calls 10' --at 'process.function("dive")' --latency
	check 'recursive: at least 100 ms' test "$(weight "$T/recursive.folded" '^_start;.*;dive')" -ge 100000000
	check 'recursive: all calls return' sh -c "! grep -q 'did not return' '$T/recursive.err'"
	at sleep 'calls 10' --at syscall.clock_nanosleep --latency -u
	check 'sleep: at least 60 ms' test "$(weight "$T/sleep.folded" '^_start;.*;usleep;.*')" -ge 60000000
	at syscall_pattern '500 20' --at 'syscall.getpp?d' -u
	counts syscall_pattern '_start;.*;seldom;getppid' 20
	HITS=$LAB_WORK/marks
	at guarded 100 --at 'process.mark("guarded")' --value '$arg1' -u
	check_eq 'guarded: sum' 5050 "$(weight "$T/guarded.folded")"
}

in_guest() {
	HITS=$LAB_WORK/hits
	at function '500 20' --at 'process.function("often")'
	counts function '_start;.*;main;repeat;often' 500
	at return '500 20' --at 'process.function("often").return' -u
	counts return '_start;.*;main;repeat' 500
	at kernel '500 20' --at 'kernel.function("__x64_sys_getppid")'
	counts kernel '_start;.*;seldom;getppid;entry_SYSCALL_64_after_hwframe_\[k\];do_syscall_64_\[k\];(.*;)?__[a-z0-9]*_sys_getppid_\[k\]' 20
	at syscall '500 20' --at syscall.getppid -u
	counts syscall '_start;.*;seldom;getppid' 20
	if is_older 5.11; then
		refused 'before Linux 5.11: add -u' --at syscall.getppid
	else
		at both_stacks '500 20' --at syscall.getppid
		counts both_stacks '_start;.*;seldom;getppid;entry_SYSCALL_64_after_hwframe_\[k\].*' 20
	fi
	at faults '0 0 100' --at perf.sw.page_faults_min -u
	counts faults '_start;.*;main;touch' 100
	at latency 'calls 10' --at 'process.function("nap")' --latency
	check 'latency: at least 20 ms' test "$(weight "$T/latency.folded" '^_start;.*;nap')" -ge 20000000
	check 'latency: all calls return' sh -c "! grep -q 'did not return' '$T/latency.err'"
	at asleep 'calls 10' --at 'kernel.function("hrtimer_nanosleep")' --latency -u
	check 'asleep: at least 60 ms' test "$(weight "$T/asleep.folded" '^_start;.*;usleep;.*')" -ge 60000000
	check 'asleep: all calls return' sh -c "! grep -q 'did not return' '$T/asleep.err'"
	if is_older 5.15; then
		refused 'before Linux 5.15 only one' --at 'process.function("seldom")' --at 'process.function("often")'
	else
		at both '500 20' --at 'process.function("seldom")' --at 'kernel.function("__x64_sys_getppid")' --by probe
		counts both 'process.*seldom.*;seldom' 20
		counts both 'kernel.*getppid.*;__[a-z0-9]*_sys_getppid_\[k\]' 20
	fi
	at pattern '500 20' --at 'process.function("ofte?")'
	counts pattern '_start;.*;main;repeat;often' 500
	at kernel_pattern '500 20' --at 'kernel.function("*_sys_getpp?d")'
	counts kernel_pattern '_start;.*;seldom;getppid;entry_SYSCALL_64_after_hwframe_\[k\];do_syscall_64_\[k\];(.*;)?__[a-z0-9]*_sys_getppid_\[k\]' 20
	at kernel_returns '500 20' --at 'kernel.function("*_sys_getpp?d").return' -u
	check_eq 'kernel_returns: all hits' 20 "$(weight "$T/kernel_returns.folded")"
	at asleep_pattern 'calls 10' --at 'kernel.function("hrtimer_nanoslee?")' --latency -u
	check 'asleep_pattern: at least 60 ms' test "$(weight "$T/asleep_pattern.folded" '^_start;.*;usleep;.*')" -ge 60000000
	check 'asleep_pattern: all calls return' sh -c "! grep -q 'did not return' '$T/asleep_pattern.err'"
	at trace_pattern '500 20' --at 'kernel.trace("raw_syscalls:sys_ente?")' -u
	counts trace_pattern '_start;.*;seldom;getppid' 20
	[ -z "${CHECK_ALL-}" ] || more
	HITS=$LAB_WORK/marks
	at mark 100 --at 'process.mark("memory")' --value '$arg7' --if '$arg1 > 50' -u
	check_eq 'mark: sum' 3775 "$(weight "$T/mark.folded")"
	lab_keep "$T"/*.folded "$T"/*.err
}

guest_main "$@"
