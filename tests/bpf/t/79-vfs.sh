#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# vfs: bytes read and written by stack and file, which the target knows.
set -eu
. "$TOP/tests/lib.sh"
. "$TOP/tests/bpf/lib.sh"
. "$TOP/tests/syscalls.sh"
. "$TOP/tests/vfs.sh"

recorder() {
	"$BIN-vfs" --engine bpf "$@"
}

N=50
FILES=$T/files
mkdir -p "$T/data"
cc -O2 -g -fomit-frame-pointer -pthread -o "$FILES" "$TOP/tests/programs/files.c"

begin_calls attached --children
check 'attached: nothing is lost' grep -q ' kept, 0 lost' "$T/attached.err"
all_bytes attached
check_eq 'attached: bytes read and written, as /proc/PID/io counts them' "$(sed -n 's/^io //p' "$T/target.out")" \
	"$(amount attached op read) $(amount attached op write)"

begin_calls written --op write
check_eq 'written: nothing else' write "$("${BIN%/*}/bt-report" --by op "$T/written.rec" 2>/dev/null | sed '1d; s/,.*//')"
check_eq 'written: the copies, too' $((200 * N)) "$(amount written path "$T/data/copy")"
begin_calls fast --max 1000 --op open --show calls
check_eq 'fast: missing files' $N "$(amount fast error ENOENT errors)"

# calls of 32-bit code, and splice
OLD=$T/old_calls
cc -O2 -g -no-pie -fomit-frame-pointer -o "$OLD" "$TOP/tests/programs/old_calls.c"
record_work "$OLD" old
if grep -q none "$T/target.out"; then
	skip 'old: calls of 32-bit code' 'this kernel has none'
else
	check_eq 'old: bytes written' $((10 * N)) "$(weight "$T/old.folded" "^_start;.*;main;old_write;write_\[k\];$T/data/old_\[k\]\$")"
	check_eq 'old: bytes read' $((10 * N)) "$(weight "$T/old.folded" "^_start;.*;main;old_read;read_\[k\];$T/data/old_\[k\]\$")"
	check_eq 'old: missing files' "$N" "$(amount old path nowhere errors)"
	check_eq 'old: bytes spliced from a file' $((10 * N)) "$(weight "$T/old.folded" "^_start;.*;main;splice_out;.*;splice_\[k\];$T/data/old_\[k\]\$")"
	check_eq 'old: into a pipe, and out of it' $((20 * N)) "$(weight "$T/old.folded" '^_start;.*;splice_\[k\];\[pipe\]_\[k\]$')"
	check_eq 'old: bytes spliced to a file' $((10 * N)) "$(weight "$T/old.folded" "^_start;.*;main;splice_in;.*;splice_\[k\];$T/data/moved_\[k\]\$")"
fi

RING=$T/ring
cc -O2 -g -fomit-frame-pointer -fno-optimize-sibling-calls -o "$RING" "$TOP/tests/programs/ring.c"
record_work "$RING" ring
if grep -q none "$T/target.out"; then
	skip 'ring: requests to io_uring' 'this kernel has none'
else
	check 'ring: nothing is lost' grep -q ' kept, 0 lost' "$T/ring.err"
	check_eq 'ring: bytes written' $((100 * N)) "$(weight "$T/ring.folded" "^_start;.*;main;put;.*;io_uring_write_\[k\];$T/data/ring_\[k\]\$")"
	check_eq 'ring: bytes read' $((100 * N)) "$(weight "$T/ring.folded" "^_start;.*;main;take;.*;io_uring_read_\[k\];$T/data/ring_\[k\]\$")"
	calls_of ring "_start;.*;main;all;.*;io_uring_fsync_\[k\];$T/data/ring_\[k\]" 1
	calls_of ring "_start;.*;main;all;.*;io_uring_openat_\[k\];$T/data/ring_\[k\]" 1
	calls_of ring '_start;.*;main;ring_fail;.*;io_uring_openat_\[k\]' "$N"
	check_eq 'ring: missing files' "$N" "$(amount ring error ENOENT errors)"
fi
