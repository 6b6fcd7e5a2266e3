#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# tier: all
# Full disks, of the host and of the server: what was recorded is sent in the end, or counted; each failure is said once.
set -eu
. "$TOP/tests/lib.sh"
. "$TOP/tests/fleet/clickhouse.sh"

bin=$TOP/bin
export HOME="$T" TZ=UTC
[ "$(id -u)" = 0 ] || { skip 'full disks' 'needs root'; exit 0; }
mkdir "$T/disk" "$T/disk2"
mount -t tmpfs -o size=1m,mode=755 tmpfs "$T/disk" 2>"$T/err" || { skip 'full disks' "cannot mount a tmpfs: $(cat "$T/err")"; exit 0; }
at_end 'end_recorder; umount -l "$T/disk" "$T/disk2" 2>/dev/null'

# fill FOLDER: fills its file system
fill() { dd if=/dev/zero of="$1/filler" bs=4k 2>/dev/null || :; }

# record ARG…: records a program that counts its system calls, until end_recorder; its messages are in $T/said
record() {
	"$BIN" --quiet --engine bpf --at syscall.getpriority --every 1s --spool "$T/disk/spool" "$@" -- \
		perl -e 'for ($n = 0; !-e $ARGV[0]; $n++) { getpriority(0, 0); select(undef, undef, undef, 0.001) } open F, ">", $ARGV[1]; print F $n' \
		"$T/stop" "$T/calls" 2>"$T/said" &
	recorder=$!
}
recorder=
end_recorder() {
	[ "$recorder" ] || return 0
	: >"$T/stop"
	wait "$recorder" && status=0 || status=$?
	recorder=
	rm "$T/stop"
}
said() { grep -c "$1" "$T/said"; }
windows() { find "$T/disk/spool" -name '*.rec.zst' 2>/dev/null | wc -l; }
has_windows() { [ "$(windows)" -gt "$1" ]; }
rows() { zstd -dcq "$T"/disk/spool/*.rec.zst | awk '/^row/ { n += $6 } END { print n + 0 }'; }
lost() { zstd -dcq "$T"/disk/spool/*.rec.zst | awk '/^lost spool/ { n += $3 } END { print n + 0 }'; }

# ---- the host's disk, without a server

record
until_true has_windows 1
fill "$T/disk"
until_true grep -q 'cannot write windows' "$T/said"
before=$(windows)
sleep 3 # some windows more, whose failures are not said
check_eq 'a full spool is said once' 1 "$(said .)"
check_eq 'with what, where, why, and what becomes of it' "cannot write windows into '$T/disk/spool': No space left on device; their samples will be in the account of a later one, as lost" \
	"$(sed 's/^[^ ]*: //' "$T/said")"
check_eq 'nothing half is left' "$before $before" "$(windows) $(find "$T/disk/spool" -type f ! -name .lock | wc -l)"
rm "$T/disk/filler"
until_true has_windows "$before"
end_recorder
check_eq 'recording went on: exit code' 0 "$status"
check_eq 'that it works again is said' 1 "$(said 'windows are written again')"
check_eq 'each call is in a window or counted as lost' "$(cat "$T/calls")" $(($(rows) + $(lost)))
check 'some were lost' test "$(lost)" -gt 0

# ---- at the end of the recording

rm -r "$T/disk/spool"
record
until_true has_windows 0
fill "$T/disk"
until_true grep -q 'cannot write windows' "$T/said"
end_recorder
check_eq 'the last window cannot be written: exit code' 2 "$status"
check_eq 'what is in no account is said' "$(cat "$T/calls")" \
	$(($(rows) + $(lost) + $(sed -n 's/.*: \([0-9]*\) samples of dropped windows are in no account/\1/p' "$T/said")))
rm -r "$T/disk/filler" "$T/disk/spool"

# ---- the server's disk

has_clickhouse || exit 0
mount -t tmpfs -o size=200m,mode=755 tmpfs "$T/disk2"
ports=183
mkdir -p "$T/1" && mkdir "$T/disk2/data" && ln -s "$T/disk2/data" "$T/1/data"
start_server 1
url=clickhouse://127.0.0.1:${ports}11/fleet
check 'init' "$bin/bt-fleet" init "$url"
record --push "$url"
is_stored() { [ "$(query 1 'SELECT count() FROM samples')" -gt "$1" ]; }
until_true is_stored 0
fill "$T/disk2"
until_true grep -q 'HTTP 500' "$T/said"
until_true has_windows 3
fill "$T/disk" # both are full
until_true grep -q 'cannot write windows' "$T/said"
check_eq 'a full server is said once' 1 "$(said 'HTTP 500')"
stored=$(query 1 'SELECT sum(count) FROM samples')
is_more() { [ "$(query 1 'SELECT sum(count) FROM samples')" -gt "$stored" ]; }
rm "$T/disk2/filler" # what is sent makes room in the spool, too
until_true is_more
until_true grep -q 'windows are written again' "$T/said"
end_recorder
check_eq 'all is sent in the end' '0 0' "$status $(windows)"
check_eq 'each call is stored, or counted as lost' "$(cat "$T/calls")" \
	$(($(query 1 'SELECT sum(count) FROM samples') + $(query 1 "SELECT sum(arraySum(arrayFilter((n, r) -> r = 'spool', lost.count, lost.reason))) FROM windows")))
stop_server 1
