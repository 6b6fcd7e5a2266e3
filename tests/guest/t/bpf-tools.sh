#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# bpf-tools: the tools of the built-in engine on this kernel, with programs that know their figures.
# suites: sid trixie bookworm bullseye
# engine: bpf
# tier: all sid trixie bookworm
set -eu
. /lab/guest.sh
. /lab/record.sh
. /lab/syscalls.sh
. /lab/faults.sh
. /lab/rss.sh
. /lab/vfs.sh
. /lab/alloc.sh
. /lab/mmap.sh
. /lab/wall.sh
. /lab/locks.sh
. /lab/wakers.sh
. /lab/block.sh
. /lab/tcp.sh

BIN=$(command -v sample-bt || :)
N=20

prepare() {
	cc -O2 -g0 -fomit-frame-pointer -pthread -o "$LAB_WORK/files" /lab/programs/files.c
	cc -O2 -g0 -fomit-frame-pointer -pthread -o "$LAB_WORK/waits" /lab/programs/waits.c
	cc -O2 -g0 -fomit-frame-pointer -o "$LAB_WORK/pages" /lab/programs/pages.c
	cc -O2 -g0 -fomit-frame-pointer -o "$LAB_WORK/grow" /lab/programs/grow.c
	cc -O2 -g0 -fomit-frame-pointer -pthread -o "$LAB_WORK/heap" /lab/programs/heap.c
	cc -O2 -g0 -fomit-frame-pointer -o "$LAB_WORK/maps" /lab/programs/maps.c
	cc -O2 -g0 -fomit-frame-pointer -pthread -o "$LAB_WORK/locks" /lab/programs/locks.c
	cc -O2 -g0 -fomit-frame-pointer -pthread -o "$LAB_WORK/wakers" /lab/programs/wakers.c
	cc -O2 -g0 -fomit-frame-pointer -o "$LAB_WORK/disk" /lab/programs/disk.c
	cc -O2 -g0 -fomit-frame-pointer -pthread -o "$LAB_WORK/tcp" /lab/programs/tcp.c
}

recorder() {
	"sample-bt-$tool" "$@"
}

in_guest() {
	FILES=$LAB_WORK/files PAGES=$LAB_WORK/pages GROW=$LAB_WORK/grow HEAP=$LAB_WORK/heap MAPS=$LAB_WORK/maps LOCKS=$LAB_WORK/locks WAKERS=$LAB_WORK/wakers DISK=$LAB_WORK/disk TCP=$LAB_WORK/tcp
	tool=syscalls
	begin_calls syscalls
	check 'syscalls: nothing is lost' grep -q ' kept, 0 lost' "$T/syscalls.err"
	all_calls syscalls
	tool=faults
	begin_faults faults
	check 'faults: nothing is lost' grep -q ' kept, 0 lost' "$T/faults.err"
	same_faults faults
	tool=rss
	record_work "$GROW" rss
	check 'rss: nothing is lost' grep -q ' kept, 0 lost' "$T/rss.err"
	if tells_each_page; then
		check_eq 'rss: bytes' "$(all_grown)" "$(grown rss)"
	else
		# each sum is right but for the changes that a thread had kept to itself at the beginning and the end
		check 'rss: bytes' batches_grown rss
	fi
	tool=vfs
	begin_calls vfs --children
	check 'vfs: nothing is lost' grep -q ' kept, 0 lost' "$T/vfs.err"
	all_bytes vfs
	check_eq 'vfs: bytes read and written, as /proc/PID/io counts them' "$(sed -n 's/^io //p' "$T/target.out")" \
		"$(amount vfs op read) $(amount vfs op write)"
	tool=alloc
	record_work "$HEAP" alloc --interval 1
	check 'alloc: nothing is lost' grep -q ' kept, 0 lost' "$T/alloc.err"
	check_eq 'alloc: bytes' "$(heap_bytes)" "$(amounts alloc alloc)"
	check_eq 'alloc: calls' "$(heap_calls)" "$(amounts alloc calls)"
	tool=leaks
	record_held leaks --interval 1
	check_eq 'leaks: bytes' "$(held_bytes)" "$(amounts leaks leaks)"
	check_eq 'leaks: blocks' "$(held_blocks)" "$(amounts leaks blocks)"
	tool=mmap keeper=$MAPS
	record_held mmap
	check 'mmap: nothing is lost' grep -q ' kept, 0 lost' "$T/mmap.err"
	check_eq 'mmap: bytes' "$(mapped_bytes)" "$(ranges mmap mmap)"
	check_eq 'mmap: still mapped' "$(held_ranges)" "$(ranges mmap held)"
	tool=wall WAITS=$LAB_WORK/waits
	all_time wall
	everywhere
	tool=locks
	begin_waits locks
	check 'locks: nothing is lost' grep -q ' kept, 0 lost' "$T/locks.err"
	futex_waits locks
	if reports_contention; then contentions locks; fi
	kernel_waits
	tool=wakers
	record_work "$WAKERS" wakers --children
	check 'wakers: nothing is lost' grep -q ' kept, 0 lost' "$T/wakers.err"
	all_wakers wakers
	interrupted wakers
	record_work "$WAKERS" wakers-user --children -u
	all_wakers wakers-user
	tool=block
	if make_disk; then
		begin_requests block
		check 'block: nothing is lost' grep -q ' kept, 0 lost' "$T/block.err"
		same_requests block
		remove_disk
	else
		skip 'block: requests' "$no_disk"
	fi
	tool=tcp
	begin_uses tcp
	check 'tcp: nothing is lost' grep -q ' kept, 0 lost' "$T/tcp.err"
	same_uses tcp
	retransmits lost
	lab_keep "$T"/*.folded "$T"/*.err
}

guest_main "$@"
