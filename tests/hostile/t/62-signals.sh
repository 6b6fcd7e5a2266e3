#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# signals: a process that runs as nobody, as services do, cannot stop or kill the children that work for root's recorder. root can; this is
# reported, and no other cause is named.
set -eu
. "$TOP/tests/hostile/lib.sh"

# no program stands between it and its parent
recorder() {
	"$BIN" --engine bpf --min-quality 0 --no-jvm "$@"
}

at_end 'kill $target 2>/dev/null'
chmod 711 "$T_top" "$T"
start spinning "$CASES/mapped"

# helpers: prints the children of the recorder that have dropped its rights
helpers() {
	for helper in $(pgrep -P "$(pgrep -P "$recording" -f sample-bt)"); do
		grep -q '^Uid:	0' "/proc/$helper/status" || echo "$helper"
	done
}

# signal SIGNAL COMMAND…: sends SIGNAL to each of the helpers, from a sh of this user; prints how many of them got it
signal() {
	signal_name=$1
	shift
	for helper in $(helpers); do
		"$@" sh -c "kill -$signal_name $helper" 2>/dev/null && echo got || :
	done | grep -c got || :
}

# recorded NAME SIGNAL COMMAND…: sends the signals during a recording; $got is how many helpers got one
recorded() {
	begin_record "$1" -p $target -u
	check "$1: there are helpers" test "$(helpers | wc -l)" -gt 0
	recorded_signal=$2
	recorded_name=$1
	shift 2
	got=$(signal "$recorded_signal" "$@")
	stop_record
	note "$T/$recorded_name.err"
	check_eq "$recorded_name: blames a file system" '' "$(grep -E 'FUSE|answer in time' "$T/$recorded_name.err" || :)"
}

for name in STOP KILL; do
	recorded "nobody, $name" $name setpriv --reuid nobody --regid nogroup --clear-groups
	check_eq "nobody, $name: arrives" 0 "$got"
	check_eq "nobody, $name: exit code" 0 "$status"
	recorded "root, $name" $name env
	check "root, $name: arrives" test "$got" -gt 0
	check_eq "root, $name: exit code" 1 "$status"
	check "root, $name: is said" grep -q 'helper process.* stopped or killed from outside' "$T/root, $name.err"
done
