#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# mappings: a target has tens of thousands of executable mappings. The recorder's cost must grow with their number, not with its square.
set -eu
. "$TOP/tests/hostile/lib.sh"

start spinning "$CASES/mappings" 60000
expect_record many 0 -u -p $target -t 1
kill $target
expect_samples many
check 'what is left out is said' grep -q 'executable mapping was left out' "$T/many.err"

if ! command -v valgrind >/dev/null; then
	skip 'work' 'no valgrind here'
	exit 0
fi
for number in 8000 32000; do
	start spinning "$CASES/mappings" $number
	instructions -u -p $target -t 0.3 -o "$T/a.rec" >"$T/of$number"
	kill $target
done
check "work: $(cat "$T/of8000") instructions with 8,000, $(cat "$T/of32000") with 32,000, which are at most 4 times as many" \
	test "$(cat "$T/of8000")" -gt 0 -a "$(cat "$T/of32000")" -le $(($(cat "$T/of8000") * 4))
