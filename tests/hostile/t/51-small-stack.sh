#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# small stack: the limit of the stack is raised where that is allowed; elsewhere the program works, or reports it.
set -eu
. "$TOP/tests/lib.sh"

printf 'main;a 7\n' >"$T/a.folded"
prlimit --stack=65536: "$BIN" --engine bpf --min-quality 1 -u -o "$T/a.rec" -- sh -c 'ulimit -s; i=0; while [ $i -lt 300000 ]; do i=$((i + 1)); done' >"$T/out" 2>"$T/err" && status=0 || status=$?
check_eq 'a recording: exit code' 0 "$status"
[ "$status" = 0 ] || note "$T/err"
check_eq 'its command has the limit that was given' 64 "$(cat "$T/out")"

chmod 755 "$T_top" "$T"
cp "${BIN%/*}/bt-report" "$T/"
# with_stack LIMIT COMMAND…: runs COMMAND as a user who cannot raise the hard limit
with_stack() {
	limit=$1
	shift
	prlimit --stack="$limit" setpriv --reuid nobody --regid nogroup --clear-groups --bounding-set=-all "$@" >"$T/out" 2>"$T/err" &&
		status=0 || status=$?
}

with_stack 65536:65536 "$T/bt-report" "$T/a.folded"
check_eq 'a user who may not raise it: exit code' 2 "$status"
check 'it is said' grep -q '^bt-report: the stack is limited to 64 KiB: allow at least 256 KiB (ulimit -s)$' "$T/err"
with_stack 65536:1048576 "$T/bt-report" "$T/a.folded"
check_eq 'a user who may raise it: exit code' 0 "$status"
