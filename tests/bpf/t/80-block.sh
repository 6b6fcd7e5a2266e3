#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# block: requests to a disk by stack, whose numbers the target and the kernel know.
set -eu
. "$TOP/tests/lib.sh"
. "$TOP/tests/bpf/lib.sh"
. "$TOP/tests/block.sh"

recorder() {
	"$BIN-block" --engine bpf "$@"
}

N=50
DISK=$T/disk
if ! make_disk; then
	skip 'requests to a disk' "$no_disk"
	exit 0
fi
at_end remove_disk
cc -O2 -g -fomit-frame-pointer -o "$DISK" "$TOP/tests/programs/disk.c"

begin_requests attached
check 'attached: nothing is lost' grep -q ' kept, 0 lost' "$T/attached.err"
same_requests attached

begin_requests written --op write --max 1000000000
check_eq 'written: nothing else' write "$("${BIN%/*}/bt-report" --by op "$T/written.rec" 2>/dev/null | sed '1d; s/,.*//')"
check_eq 'written: bytes' $((3 * N * 4096)) "$(sum written bytes op write)"

# who asks for a flush is not the thread of the kernel that makes the request; this is also so when the kernel's threads are recorded
begin_record all -a --op flush -t 600
"$DISK" "$T/data" "$N" | note
stop_record
"${BIN%/*}/bt-collapse" --event requests --label "disk=${loop#/dev/}" "$T/all.rec" >"$T/all.requests" 2>/dev/null || :
check_eq 'all: flushes are of the thread that asks for them' "$N" "$(weight "$T/all.requests" '^(disk;)?_start;.*;settle;.*;flush_\[k\];device_\[k\]$')"
