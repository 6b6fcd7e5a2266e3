#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# at: stacks at probe points, whose hits the target knows.
set -eu
. "$TOP/tests/lib.sh"
. "$TOP/tests/bpf/lib.sh"
. "$TOP/tests/at.sh"

CALLS=5000 QUIET=40
HITS=$T/hits
cc -O2 -g -fomit-frame-pointer -pthread -o "$HITS" "$TOP/tests/programs/hits.c"

at function "$CALLS $QUIET" --at 'process.function("often")'
counts function '_start;.*;main;repeat;often' $CALLS
check_eq 'function: nothing else' $CALLS "$(weight "$T/function.folded")"
at file "$CALLS $QUIET" --at "process(\"$T/hits\").function(\"seldom\")"
counts file '_start;.*;main;repeat;seldom' $QUIET
at return "$CALLS $QUIET" --at 'process.function("often").return' -u
counts return '_start;.*;main;repeat' $CALLS
at both "$CALLS $QUIET" --at 'process.function("often")' --at 'process.function("seldom")' --at syscall.getppid --at syscall.getppid.return \
	--by probe
counts both 'process.function."often".;_start;.*;repeat;often' $CALLS
counts both 'process.function."seldom".;_start;.*;repeat;seldom' $QUIET
counts both 'syscall.getppid;_start;.*;seldom;getppid;entry_SYSCALL_64_after_hwframe_\[k\];do_syscall_64_\[k\](;.*)?' $QUIET
counts both 'syscall.getppid.return;_start;.*;seldom;getppid;entry_SYSCALL_64_after_hwframe_\[k\];do_syscall_64_\[k\](;.*)?' $QUIET
at kernel "$CALLS $QUIET" --at syscall.getppid -k
counts kernel 'entry_SYSCALL_64_after_hwframe_\[k\];do_syscall_64_\[k\](;.*)?' $QUIET
at trace "$CALLS $QUIET" --at 'kernel.trace("raw_syscalls:sys_enter")' --at 'kernel.trace("sys_exit_getppid")' --by probe
counts trace 'kernel.trace."raw_syscalls:sys_enter".;.*;seldom;getppid;.*' $QUIET
counts trace 'kernel.trace."sys_exit_getppid".;.*;seldom;getppid;.*' $QUIET

# tracefs may not be mounted, as in minimal systems
printf '%s\n' '#!/bin/sh' 'umount -l /sys/kernel/debug /sys/kernel/tracing 2>/dev/null' 'exec "$@"' >"$T/without"
(
	recorder() {
		unshare -m sh "$T/without" "$BIN" --engine bpf --min-quality 1 "$@"
	}
	at unmounted "$CALLS $QUIET" --at 'kernel.trace("sys_enter_getppid")' --by probe
	counts unmounted 'kernel.trace."sys_enter_getppid".;.*;seldom;getppid;.*' $QUIET
)

# each page of new memory is a fault in the function that touches it
at faults '0 0 300' --at perf.sw.page_faults_min
counts faults '_start;.*;main;touch' 300
at every '0 0 300' --at perf.sw.page_faults_min -c 10
sum=$(weight "$T/every.folded" "^_start;.*;main;touch\$")
check "every: about as many events, $sum" test "$sum" -ge 290 -a "$sum" -le 310

# a command is recorded from its first instruction on; all of its hits are there
expect_record command 0 --at 'process.function("often")' -- "$HITS" $CALLS $QUIET
check_eq 'command: all hits' $CALLS "$(weight "$T/command.folded")"
expect_record all 0 -a --at "process(\"$T/hits\").function(\"often\")" -- "$HITS" $CALLS $QUIET
check_eq 'all: all hits' $CALLS "$(weight "$T/all.folded" '^hits;')"

start "$HITS" forever
expect_record library 0 --at 'process("libc").function("getppid")' -p "$target" -t 0.3
check_eq 'library: nothing else' "$(weight "$T/library.folded" '^_start;.*;seldom;getppid ')" "$(weight "$T/library.folded")"
check 'library: there are hits' test "$(weight "$T/library.folded")" -gt 0
finish

# refused EXIT TEXT ARG…: checks the exit code and the message of a recording that cannot begin
refused() {
	refused_status=$1
	refused_text=$2
	shift 2
	status=0
	"$BIN" --engine bpf "$@" >"$T/refused.out" 2>"$T/refused.err" || status=$?
	check_eq "$*: exit code" "$refused_status" "$status"
	check "$*: $refused_text" grep -qF -e "$refused_text" "$T/refused.err"
	check_eq "$*: one line" 1 "$(grep -c . "$T/refused.err")"
}
refused 2 'has no symbol nowhere' --at 'process.function("nowhere")' -- "$HITS" 1 1
refused 2 'no such tracepoint' --at 'kernel.trace("nowhere")' -- "$HITS" 1 1
refused 2 'there is no such event' --at perf.sw.nothing -- "$HITS" 1 1
refused 2 'no target has mapped nowhere' --at 'process("nowhere").function("main")' -- "$HITS" 1 1
refused 2 'name the file' --at 'process.function("main")' -a -t 1
refused 64 'needs SystemTap' --at 'timer.s(1)' -a -t 1
refused 64 'needs --at' --script at -a -t 1
refused 64 '-c needs an event' -c 5 -a -t 1
