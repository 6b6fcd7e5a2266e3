# SPDX-License-Identifier: GPL-2.0-or-later
# vfs.sh: functions for the tests of bytes read and written, on this machine and in guests. FILES is the program tests/programs/files.c, with
# $N calls of each kind in the folder $T/data. They need syscalls.sh.

# amount NAME KEY VALUE [EVENT]: prints what a recording has of one value of a label
amount() {
	"${BIN%/*}/bt-report" --by "$2" --event "${4-vfs}" "$T/$1.rec" 2>/dev/null | awk -F, -v value="$3" '$1 == value { sum = $2 } END { print sum + 0 }'
}

# bytes_of NAME ERE BYTES: checks the bytes of the stacks ERE
bytes_of() {
	check_eq "$1: $2" "$3" "$(weight "$T/$1.folded" "^(files;)?$2\$")"
}

# all_bytes NAME: checks the bytes of FILES by stack and by file
all_bytes() {
	bytes_of "$1" "_start;.*;main;fill;.*;write_\[k\];$T/data/out_\[k\]" $((100 * N))
	bytes_of "$1" "_start;.*;main;scan;.*;read_\[k\];$T/data/out_\[k\]" $((100 * N))
	bytes_of "$1" "_start;.*;main;scatter;.*;writev_\[k\];$T/data/vector_\[k\]" $((60 * N))
	bytes_of "$1" "_start;.*;main;place;.*;pwrite64_\[k\];$T/data/vector_\[k\]" $((20 * N))
	bytes_of "$1" "_start;.*;main;copy;.*;sendfile_\[k\];$T/data/out_\[k\]" $((100 * N))
	bytes_of "$1" "_start;.*;main;copy;.*;sendfile_\[k\];$T/data/copy_\[k\]" $((100 * N))
	bytes_of "$1" "_start;.*;main;copy;.*;copy_file_range_\[k\];$T/data/copy_\[k\]" $((100 * N))
	check_eq "$1: bytes of a file" $((400 * N)) "$(amount "$1" path "$T/data/out")"
	check_eq "$1: bytes of another file" $((200 * N)) "$(amount "$1" path "$T/data/copy")"
	calls_of "$1" "(files;)?_start;.*;main;fill;.*;fsync_\[k\];$T/data/out_\[k\]" 1
	calls_of "$1" "(files;)?_start;.*;main;fill;.*;openat_\[k\];$T/data/out_\[k\]" 1
	check_eq "$1: calls of a file" $((N + 2 * N + 1 + 2 + 1 + 3)) "$(amount "$1" path "$T/data/out" calls)"
	check_eq "$1: missing files" "$N" "$(amount "$1" error ENOENT errors)"
	check_eq "$1: the path of missing files" "$N" "$(amount "$1" path nowhere errors)"
	check "$1: the time of fsync" test "$(amount "$1" op sync time)" -gt 0
}
