#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# builder: mapped files of 3 MB whose unwind information inflates to 3 GiB, and many files that inflate to the allowed limit: memory and
# time are bounded, and the tables of the other files are built.
set -eu
. "$TOP/tests/hostile/lib.sh"

chmod 711 "$T_top" "$T"
mkdir "$T/home"
cp "$CASES/mapped" "$T/home/"
for how in '' gnu; do
	# shellcheck disable=SC2086 # one word or none
	python3 "$TOP/tests/hostile/inflate.py" "$T/home/bomb$how.so" 3072 $how
done
for number in 1 2 3 4 5 6 7 8; do
	python3 "$TOP/tests/hostile/inflate.py" "$T/home/large$number.so" 16
done
check 'the file is small' test "$(wc -c <"$T/home/bomb.so")" -lt 5000000
check 'it inflates to 3 GiB' sh -c "readelf -tW '$T/home/bomb.so' | grep -q 'ZLIB, 00000000c0000000'"

start spinning "$T/home/mapped" "$T"/home/*.so

decided_seconds=2
for how in "-p $target" -a; do
	case $how in -a) root='mapped;' ;; *) root='' ;; esac
	# stacks are cut until the tables are built
	# shellcheck disable=SC2086 # options
	record_until_seen "whole stacks: ${how%% *}" "^${root}_start;([^;]*;){1,3}main;outer;inner;spin [0-9]+\$" $how -u
	check_eq "${how%% *}: exit code" 0 "$status"
	expect_memory "${how%% *}" 400000
done
kill $target
