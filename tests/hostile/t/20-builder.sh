#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# builder: mapped files of 3 MB whose unwind information inflates to 3 GiB, and many that inflate to as much as is allowed: memory and time
# are bounded, and the tables of the other files come.
set -eu
. "$TOP/tests/lib.sh"
. "$TOP/tests/hostile/lib.sh"

chmod 711 "$T_top" "$T"
mkdir "$T/home"
cp "$CASES/mapped" "$T/home/"
for how in '' gnu; do
	# shellcheck disable=SC2086 # one word or none
	python3 "$TOP/tests/hostile/inflate.py" "$T/home/bomb$how.so" 3072 $how
done
for number in 1 2 3 4 5 6 7 8; do
	python3 "$TOP/tests/hostile/inflate.py" "$T/home/large$number.so" 127
done
check 'the file is small' test "$(wc -c <"$T/home/bomb.so")" -lt 5000000
check 'it inflates to 3 GiB' sh -c "readelf -tW '$T/home/bomb.so' | grep -q 'ZLIB, 00000000c0000000'"

as_nobody "$T/home/mapped" "$T"/home/*.so >"$T/out" &
target=$!
until_true 60 grep -q spinning "$T/out" || note "$T/out"

# memory_peaks: the most memory that each child of the recorder has had so far, in KiB
memory_peaks() {
	for child in $(pgrep -P "$recorder"); do
		sed -n 's/^VmHWM:[^0-9]*\([0-9]*\).*/\1/p' "/proc/$child/status" 2>/dev/null || :
	done | sort -n
}

# idle: no child has anything to do, or one has taken too much already
idle() {
	[ "$(memory_peaks | tail -n 1)" -lt 1000000 ] || return 0
	for child in $(pgrep -P "$recorder"); do
		grep -q '^State:.S' "/proc/$child/status" || idle_since=0
	done
	idle_since=$((idle_since + 1))
	[ $idle_since -ge 10 ]
}

for how in "-p $target" -a; do
	# shellcheck disable=SC2086 # options
	begin_record x --min-quality 0 $how -u
	recorder=$(pgrep -P "$recording" sample-bt)
	idle_since=0
	until_true 10 idle || : # of a machine where programs start all the time, never
	kib=$(memory_peaks | tail -n 1)
	check "${how%% *}: memory, $kib KiB" test "$kib" -lt 1000000
	kill -INT "$recorder"
	end_record
	note "$T/x.err"
	check_eq "${how%% *}: exit code" 0 "$status"
	# of -a, only the target
	case $how in -a) root='^mapped;' ;; *) root=^ ;; esac
	all=$(weight "$T/x.folded" "$root.*outer;.*spin")
	whole=$(weight "$T/x.folded" "${root}_start;([^;]*;){1,3}main;outer;inner;spin")
	# those before the tables came are cut
	check "${how%% *}: $whole whole stacks of $all" test "$whole" -gt 0
done
kill $target
