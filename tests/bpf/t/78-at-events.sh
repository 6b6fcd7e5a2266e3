#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# at: events by perf's names, whose number the target or the kernel knows.
set -eu
. "$TOP/tests/lib.sh"
. "$TOP/tests/bpf/lib.sh"
. "$TOP/tests/at.sh"

PAGES=300 QUIET=40
HITS=$T/hits
cc -O2 -g -fomit-frame-pointer -pthread -o "$HITS" "$TOP/tests/programs/hits.c"

at faults "0 0 $PAGES" -e page-faults -c 1 -u
counts faults '_start;.*;main;touch' $PAGES
check_eq 'faults: as many as the kernel has counted' "$(tail -n 1 "$T/target.out")" "$(weight "$T/faults.folded" ';main;touch$')"
check 'faults: unit' grep -q ' page-faults kept, 0 lost' "$T/faults.err"
at both "$QUIET $QUIET $PAGES" -e minor-faults,syscalls:sys_enter_getppid --by probe
counts both 'minor-faults;_start;.*;main;touch.*' $PAGES
counts both 'syscalls:sys_enter_getppid;_start;.*;seldom;getppid.*' $QUIET
at tenth "0 0 $PAGES" -e page-faults -c 10 -u
sum=$(weight "$T/tenth.folded" ';main;touch$')
check "tenth: about as many events, $sum" test "$sum" -ge $((PAGES - 10)) -a "$sum" -le $((PAGES + 10))
at switches 'calls 20' -e context-switches
check 'switches: at least one for each nap' test "$(weight "$T/switches.folded" ';make_calls;nap;.*$')" -ge 20
record_until_seen clock '^_start.* [0-9]*$' -e cpu-clock:u -F 500 -- sh -c 'i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done'

# refused EXIT TEXT ARG…: checks the exit code and the message of a recording that cannot begin
refused() {
	refused_status=$1
	refused_text=$2
	shift 2
	status=0
	"$BIN" "$@" -- "$HITS" 1 1 >"$T/refused.out" 2>"$T/refused.err" || status=$?
	check_eq "$*: exit code" "$refused_status" "$status"
	check "$*: $refused_text" grep -qF -e "$refused_text" "$T/refused.err"
}
status=0
"$BIN" --engine bpf --check >"$T/check.out" || status=$?
check 'check: lists the events' grep -q '^found *events .*task-clock, page-faults, ' "$T/check.out"
if grep -q '^found *events .*cycles' "$T/check.out"; then
	skip 'an event that is not there' 'this machine counts cycles'
else
	refused 2 'cannot probe cycles: this machine does not count it' -e cycles
	check 'cycles: what there is' grep -q 'it counts cpu-clock, task-clock, page-faults' "$T/refused.err"
	check_eq 'cycles: one line' 1 "$(grep -c 'cannot probe' "$T/refused.err")"
fi
refused 64 "such as cycles, page-faults" -e cycle
refused 64 "such as cycles, page-faults" -e page-faults,
refused 2 'perf list tracepoint' -e sched:nothing
refused 64 '-c and -F' -e page-faults -c 5 -F 5
refused 64 '-F needs' --at syscall.read -F 5
refused 64 '-F needs' -e sched:sched_switch -F 5
refused 64 'has no values' -e page-faults --value '$arg1'
refused 64 'needs the built-in engine' -e page-faults --engine stap
