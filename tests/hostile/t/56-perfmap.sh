#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# perfmap: a /tmp/perf-PID.map that is a FIFO, a link, another user's file, rubbish or endless does not stop the recorder.
set -eu
. "$TOP/tests/hostile/lib.sh"

"$CASES/jitted" 60 >"$T/address" &
target=$!
map=/tmp/perf-$target.map
at_end 'kill $target 2>/dev/null; rm -f "$map"'

# recorded NAME yes|no: checks whether its names are used
recorded() {
	# shellcheck disable=SC2086 # nothing, or a command
	bounded $limited "$BIN" --engine bpf --min-quality 0 -u -p "$target" -t 0.5 -o "$T/a.folded" 2>"$T/err"
	check_eq "$1: exit code" 0 "$status"
	[ "$status" = 0 ] || note "$T/err"
	names=no
	! grep -q planted "$T/a.folded" || names=yes
	check_eq "$1: names of the map" "$2" "$names"
	rm -f "$map"
}

limited=
until [ -s "$T/address" ]; do sleep 0.1; done
line="$(cat "$T/address") 100 planted"
echo "$line" >"$map"
recorded 'its own file' yes
mkfifo "$map"
recorded 'a FIFO' no
ln -s /dev/zero "$map"
recorded 'a link to a device' no
echo "$line" >"$T/map"
ln -s "$T/map" "$map"
recorded 'a link to a file' no
echo "$line" >"$map"
chown nobody "$map"
recorded "another user's file" no
head -c 3000000 /dev/urandom | tr '\n' ' ' >"$map"
recorded 'rubbish' no
truncate -s 1T "$map"
recorded 'a terabyte of zeros' no
truncate -s 1T "$map"
limited="prlimit --as=$((64 << 20)):"
recorded 'a terabyte of zeros under a memory limit' no
