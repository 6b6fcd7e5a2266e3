# SPDX-License-Identifier: GPL-2.0-or-later
# syscalls.sh: functions for the tests of system calls, on this machine and in guests. FILES is the program tests/programs/files.c, which makes
# $N calls of each kind. They need record.sh.

# weights REC EVENT: prints "CALL WEIGHT" for each system call of a recording, sorted
weights() {
	"${BIN%/*}/bt-report" --by syscall --event "$2" "$1" 2>/dev/null | sed '1d; /^futex,/d; s/,[^,]*$//; s/,/ /' | sort
}

# same_calls NAME TABLE: compares the recording NAME with a table of strace -c. The execve(2) of the command was not recorded, and it is chance
# whether a thread that is joined has ended, so that no futex(2) is needed.
same_calls() {
	awk '$NF ~ /^[a-z0-9_]+$/ && $1 ~ /^[0-9]/ && $NF !~ /^(total|execve|futex)$/ { print $NF, $4; if (NF == 6) print $NF, $5 >errors }' \
		errors="$T/$1.unsorted" "$2" | sort >"$T/$1.calls"
	sort "$T/$1.unsorted" >"$T/$1.errors"
	check "$1: calls as strace counts them" test -s "$T/$1.calls"
	check_eq "$1: as many calls of each kind" "$(cat "$T/$1.calls")" "$(weights "$T/$1.rec" calls)"
	check_eq "$1: as many errors" "$(cat "$T/$1.errors")" "$(weights "$T/$1.rec" errors)"
}

# calls_of NAME ERE N: checks that the stacks ERE have N calls
calls_of() {
	"${BIN%/*}/bt-collapse" --event calls "$T/$1.rec" >"$T/$1.calls.folded" 2>/dev/null || :
	check_eq "$1: $2" "$3" "$(weight "$T/$1.calls.folded" "^$2\$")"
}

# all_calls NAME: checks the calls of FILES by their stacks
all_calls() {
	calls_of "$1" '(files;)?_start;.*;main;fill;.*;write_\[k\]' "$N"
	calls_of "$1" '(files;)?_start;.*;main;scan;.*;read_\[k\]' $((2 * N + 1))
	calls_of "$1" '(files;)?_start;.*;main;scatter;.*;writev_\[k\]' "$N"
	calls_of "$1" '(files;)?_start;.*;main;place;.*;pwrite64_\[k\]' "$N"
	calls_of "$1" '(files;)?_start;.*;main;copy;.*;sendfile_\[k\]' 1
	calls_of "$1" '(files;)?_start;.*;main;copy;.*;copy_file_range_\[k\]' 1
	calls_of "$1" '(files;)?_start;.*;main;fail;.*;openat_\[k\]' "$N"
	calls_of "$1" '(files;)?_start;.*;main;fail;.*;read_\[k\]' 1
	calls_of "$1" '(files;)?_start;.*;main;nap;.*;clock_nanosleep_\[k\]' "$N"
	calls_of "$1" '.*;lonely;getppid;getppid_\[k\]' "$N"
	check_eq "$1: missing files" "$N" "$("${BIN%/*}/bt-collapse" --event errors --label error=ENOENT "$T/$1.rec" 2>/dev/null |
		sed -n 's/.*;main;fail;.* //p' | awk '{ sum += $1 } END { print sum + 0 }')"
	check_eq "$1: bad descriptors" 1 "$(awk '$1 == "label" && $4 == "EBADF"' "$T/$1.rec" | grep -c .)"
	check "$1: sleeps at least $((2 * N)) ms" test "$(weight "$T/$1.folded" ';nap;.*;clock_nanosleep_\[k\]$')" -ge $((2000000 * N))
}

# begin_calls NAME ARG…: records FILES
begin_calls() {
	record_work "$FILES" "$@"
}
