#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# fuse: the target runs a program of a file system in user space that does not answer. Who asks it waits and cannot even be killed,
# until the file system ends, here after a minute.
set -eu
. "$TOP/tests/lib.sh"
. "$TOP/tests/hostile/lib.sh"

chmod 711 "$T_top" "$T"
mkdir "$T/files"
"$CASES/fuse" "$T/files" >"$T/out" 2>&1 &
server=$!
trap 'kill -9 $server 2>/dev/null || :; umount -l "$T/files" 2>/dev/null || :; test_end' EXIT
if ! until_true 30 grep -q . "$T/out" || ! grep -qx '[0-9]*' "$T/out"; then
	skip fuse "$(cat "$T/out")"
	exit 0
fi
target=$(cat "$T/out")

recorder() {
	"$BIN" --engine bpf --min-quality 0 "$@"
}

for how in "-p $target" -a; do
	began=$(date +%s)
	# shellcheck disable=SC2086 # options
	expect_record "${how%% *}" 0 $how -u -t 1 </dev/null
	check "${how%% *}: ends in time" test $(($(date +%s) - began)) -lt 40
	check "${how%% *}: it says whose file it is" grep -q "^sample-bt: memory or files of process $target do not answer" "$T/${how%% *}.err"
	check "${how%% *}: samples" at_least "$(account kept "${how%% *}")" 20
done
