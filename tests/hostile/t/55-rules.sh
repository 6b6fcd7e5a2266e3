#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# rules: matching patterns with many stars against long names does not take exponential time.
set -eu
. "$TOP/tests/hostile/lib.sh"

stars=$(printf '%0200d' 0 | sed 's/0/*a/g')
for i in 1 2 3 4 5 6 7 8; do
	printf 'trap.%d function=%sb%d\n' "$i" "$stars" "$i"
done >"$T/rules"
name=$(printf '%04000d' 0 | tr 0 a)
for i in 1 2 3 4 5 6 7 8 9; do
	echo "main;$i$name $i"
done >"$T/a.folded"
bounded "${BIN%/*}/bt-report" --rules "$T/rules" "$T/a.folded" >"$T/out" 2>"$T/err"
check_eq 'exit code' 0 "$status"
[ "$status" = 0 ] || note "$T/err"
check 'the report is there' grep -q main "$T/out"
