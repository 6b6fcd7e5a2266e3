#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# devices: a recording names terminals, other devices, pipes, sockets and directories, also behind a symlink and as the debug file of a
# program. None of them is opened, because opening alone has effects.
set -eu
. "$TOP/tests/hostile/lib.sh"

id=00112233445566778899aabbccddeeff00112233
debug=$T/debug/.build-id/00/112233445566778899aabbccddeeff00112233.debug
mkdir -p "$T/directory" "$(dirname "$debug")"
mkfifo "$T/fifo" "$debug"
ln -s /dev/ptmx "$T/link"
mknod "$T/tty" c 5 2
python3 -c 'import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])' "$T/socket"
cp /bin/true "$T/file"

"$CASES/opened" "$T/fifo" "$debug" "$T/directory" /dev/ptmx "$T/tty" "$T/file" >"$T/opened" &
watch=$!
until_true grep -q watching "$T/opened" || not_ok watch 'it does not begin'
# the regular file comes last: when it is opened, all others have been dealt with
for path in fifo directory link tty socket file; do
	echo "$id $T/$path"
	[ $path != link ] || echo "$id /dev/ptmx"
done | recording_of >"$T/devices.rec"
bounded "$(dirname "$BIN")/bt-resolve" --min-quality 0 --debug-path "$T/debug" --lines "$T/devices.rec" >"$T/resolved" 2>"$T/err"
note "$T/err"
check_eq 'exit code' 0 "$status"
check 'a device is said not to be a program' grep -q "/dev/ptmx' is not an ELF program" "$T/err"
until_true grep -q "$T/file" "$T/opened" || :
kill $watch
check_eq 'what was opened' "$T/file" "$(grep -v watching "$T/opened" | sort -u)"
