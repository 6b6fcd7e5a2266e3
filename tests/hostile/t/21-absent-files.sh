#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# absent-files: a recording that names 10,000 files that do not exist or are not programs, and one program that does exist, is resolved with
# little memory and few lines of output.
set -eu
. "$TOP/tests/hostile/lib.sh"

bin=$(dirname "$BIN")
id=$(readelf -n /bin/true | sed -n 's/.*Build ID: //p')
mkdir "$T/debug"
mkfifo "$T/fifo"
{
	seq 5000 | awk '{ printf "%040x /nonexistent/lib%d.so\n", $1, $1 }'
	echo "$id /bin/true"
	seq 5001 10000 | awk '{ printf "%040x /nonexistent/lib%d.so\n", $1, $1 }'
} | recording_of >"$T/absent.rec"
seq 10000 | awk -v path="$T/fifo" '{ printf "%040x %s\n", $1, path }' | recording_of >"$T/pipes.rec"

# resolve NAME KIB LINES OPTION…: checks the memory and the lines of bt-resolve
resolve() {
	resolve_name=$1 resolve_kib=$2 resolve_lines=$3
	shift 3
	bounded /usr/bin/time -f %M -o "$T/memory" "$bin/bt-resolve" --min-quality 0 "$@" >"$T/out" 2>"$T/err"
	check_eq "$resolve_name: exit code" 0 "$status"
	check "$resolve_name: memory" test "$(cat "$T/memory")" -lt "$resolve_kib"
	check "$resolve_name: lines" test "$(wc -l <"$T/err")" -le "$resolve_lines"
}

resolve absent 100000 5 "$T/absent.rec"
check 'absent: how many are missing' grep -q '^bt-resolve: 10000 files are missing' "$T/err"
resolve 'absent, debug files by name' 100000 5 --lines --debug-path "$T/debug" "$T/absent.rec"
resolve 'not programs' 100000 25 "$T/pipes.rec"
