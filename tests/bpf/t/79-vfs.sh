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
