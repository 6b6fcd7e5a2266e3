#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# syscalls: system calls by stack, their times and errors, whose numbers the target knows.
set -eu
. "$TOP/tests/lib.sh"
. "$TOP/tests/bpf/lib.sh"
. "$TOP/tests/syscalls.sh"

recorder() {
	"$BIN-syscalls" --engine bpf "$@"
}

N=50
FILES=$T/files
mkdir -p "$T/data"
cc -O2 -g -fomit-frame-pointer -pthread -o "$FILES" "$TOP/tests/programs/files.c"

expect_record command 0 -- "$FILES" "$T/data" $N
check 'command: nothing is lost' grep -q ' kept, 0 lost' "$T/command.err"
all_calls command
calls_of command '(files;)?_start;.*;main;spawn;.*;write_\[k\]' $N
record old -- "$FILES" "$T/data" $N old
if [ "$status" = 139 ] || ! [ -e /proc/sys/abi/vsyscall32 ]; then # 139: SIGSEGV
	skip 'old: calls of 32-bit code' 'this kernel has none'
else
	calls_of old '(files;)?_start;.*;main;old;getpid_\[k\]' $N
fi
if command -v strace >/dev/null; then
	strace -f -c -o "$T/strace" "$FILES" "$T/data" $N 2>/dev/null || :
	same_calls command "$T/strace"
else
	skip 'as strace counts them' 'no strace'
fi

# without user stacks; without the names of the calls; the stack of a thread alone
expect_record alone 0 -k --show calls -- "$FILES" "$T/data" $N
check_eq 'alone: the calls alone' "$N" "$(weight "$T/alone.folded" '^(files;)?writev_\[k\]$')"
expect_record user 0 -u --show calls -- "$FILES" "$T/data" $N
check_eq 'user: no names of calls' "$N" "$(weight "$T/user.folded" ';main;scatter;(__GI_)?writev$')"
expect_record failed 0 --show errors -- "$FILES" "$T/data" $N
check_eq 'failed: shows the errors' "$N" "$(weight "$T/failed.folded" ';main;fail;.*;openat_\[k\]$')"

# bounds: only the naps take so long
expect_record slow 0 --min 1900 --show calls -- "$FILES" "$T/data" $N
check_eq 'slow: the naps' "$N" "$(weight "$T/slow.folded" ';main;nap;.*;clock_nanosleep_\[k\]$')"
check_eq 'slow: no call of no time' 0 "$(weight "$T/slow.folded" ';getppid_\[k\]$')"
expect_record fast 0 --max 1900 --show calls -- "$FILES" "$T/data" $N
check_eq 'fast: no naps' 0 "$(weight "$T/fast.folded" ';nap;')"

# a process that runs already
begin_calls attached --show calls
check_eq 'attached: the calls since' "$N" "$(weight "$T/attached.folded" ';main;fill;.*;write_\[k\]$')"

status=0
"$BIN-syscalls" --engine bpf --show nothing -o "$T/nothing.folded" -- true 2>"$T/nothing.err" || status=$?
check_eq 'no such event: exit code' 1 "$status"
check 'no such event: the events' grep -q "no event 'nothing'; it has 'syscalls', 'calls', 'errors'" "$T/nothing.err"

# on a terminal, a table in place of backtraces; in a pipe, backtraces
python3 "$TOP/tests/terminal.py" "$BIN-syscalls" --engine bpf -q -- true >"$T/terminal.out" 2>&1 || :
check 'on a terminal: calls, errors and times in one table' grep -q 'of all % *weight *calls *each *errors *syscall' "$T/terminal.out"
check 'on a terminal: a row of it' grep -qE '^ *[0-9.]+ % +[0-9.]+ [a-z]+ +[0-9]+ +[0-9.]+ [a-z]+ +mmap' "$T/terminal.out"
check 'in a pipe: backtraces' sh -c "'$BIN-syscalls' --engine bpf -q -- true | grep -q '^ 0x[0-9a-f]* : '"
