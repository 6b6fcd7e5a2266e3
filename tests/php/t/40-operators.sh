#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# 40-operators: the opcode that PHP executes, as a label.
set -u
. "$TOP/tests/php/lib.sh"

cat >"$T/busy.php" <<'END'
<?php
$long = str_repeat('x', 10000000);
$equal = str_repeat('x', 9999999) . 'x';
function compares($a, $b) { for (;;) $found = $a === $b; }
function hashes($a) { for (;;) md5($a); }
echo "begins\n";
$argv[1] === 'compares' ? compares($long, $equal) : hashes($long);
END

# op_is FUNCTION REGEX: a function that spends nearly all of its time in one opcode
op_is() {
	"$php" -n "$T/busy.php" "$1" >"$T/out" &
	target=$!
	until_true grep -q begins "$T/out"
	record_until_seen "$1" "$2" -p $target --by op
	kill $target
	wait $target 2>/dev/null || :
}

if [ -z "$php" ]; then
	skip 'operators' 'no php'
	exit
fi
op_is compares '^IS_IDENTICAL;{main};compares '
op_is hashes '^DO_ICALL;{main};hashes;md5 '
