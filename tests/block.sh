# SPDX-License-Identifier: GPL-2.0-or-later
# block.sh: functions for the tests of requests to disks, on this machine and in guests. DISK is the program tests/programs/disk.c, which makes
# $N requests of each kind. They need record.sh.

# make_disk: makes the loop device $loop, of 8 MiB, and $T/data/disk. It has no room beyond its first MiB. Fails with $no_disk if that is not
# possible.
make_disk() {
	mkdir -p "$T/data" "$T/room"
	mount -t tmpfs -o size=2m none "$T/room" 2>/dev/null || { no_disk='no tmpfs can be mounted' && return 1; }
	head -c 1048576 /dev/zero >"$T/room/image"
	truncate -s 8M "$T/room/image"
	modprobe loop 2>/dev/null || :
	loop=$(losetup -f --show "$T/room/image" 2>/dev/null) || { umount "$T/room" && no_disk='there is no loop device' && return 1; }
	cat /dev/zero >"$T/room/rest" 2>/dev/null || :
	ln -sfn "$loop" "$T/data/disk"
}

remove_disk() {
	losetup -d "$loop"
	umount "$T/room"
}

# sum NAME EVENT KEY VALUE [KEY VALUE]: prints what a recording has of an event with these labels
sum() {
	"${BIN%/*}/bt-collapse" --event "$2" --label "$3=$4" ${5:+--label "$5=$6"} "$T/$1.rec" 2>/dev/null | awk '{ n += $NF } END { print n + 0 }'
}

# requests_of NAME ERE N: checks that the stacks ERE have N requests
requests_of() {
	"${BIN%/*}/bt-collapse" --event requests "$T/$1.rec" >"$T/$1.requests" 2>/dev/null || :
	check_eq "$1: $2" "$3" "$(weight "$T/$1.requests" "^(disk;)?_start;.*;main;$2\$")"
}

# same_requests NAME: checks the requests of DISK, and compares them with what the kernel has counted for its device
same_requests() {
	requests_of "$1" 'store;.*_\[k\];write_\[k\];device_\[k\]' "$N"
	requests_of "$1" 'fetch;.*_\[k\];read_\[k\];device_\[k\]' "$N"
	requests_of "$1" 'settle;.*_\[k\];flush_\[k\];device_\[k\]' "$N"
	requests_of "$1" 'overflow;.*_\[k\];write_\[k\];device_\[k\]' "$N"
	check_eq "$1: requests that fail" "$N" "$(sum "$1" errors op write)"
	check_eq "$1: bytes written" $((2 * N * 4096 + N * 4096)) "$(sum "$1" bytes op write)"
	check_eq "$1: the disk" "$(sum "$1" bytes op '*')" "$(sum "$1" bytes disk "${loop#/dev/}")"
	check_eq "$1: as the kernel counts them" "$(sed -n 's/^statistics //p' "$T/target.out")" \
		"$(sum "$1" requests op read) $(sum "$1" requests op discard) $(sum "$1" requests op flush) $(($(sum "$1" bytes op read) / 512)) $(($(
			sum "$1" bytes op write) / 512)) $(($(sum "$1" bytes op discard) / 512))"
	check "$1: time in the queue and in the device" test "$(sum "$1" block op read phase queue)" -gt 0 -a \
		"$(sum "$1" block op read phase device)" -gt 0
}

# begin_requests NAME ARG…: records DISK
begin_requests() {
	record_work "$DISK" "$@"
	note "$T/target.out"
}
