#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# 30-versions: a PHP whose version is not known, or whose memory does not have the layout of its version, is refused with the reason.
set -u
. "$TOP/tests/php/lib.sh"

# refused NAME API ERE: checks what is said of this system's PHP with another number of the module interface
refused() {
	sed "s/API$api,/API$2,/" "$(readlink -f "$php")" >"$T/php"
	chmod +x "$T/php"
	"$T/php" -n -r 'function f() { for (;;); } echo "begins"; f();' >"$T/out" &
	target=$!
	until_true grep -q begins "$T/out"
	recorder -p $target -t 1 >/dev/null 2>"$T/said"
	check_eq "$1: exit" 2 $?
	check "$1: said" grep -qE "$3" "$T/said"
	kill $target
	wait $target 2>/dev/null || :
}

api=$([ -z "$php" ] || grep -aoE 'API20[0-9]{6},' "$(readlink -f "$php")" | head -n 1 | tr -dc 0-9)
if [ -z "$api" ]; then
	skip 'versions' 'no php, or its version is in a library'
	exit
fi
refused 'a later version' 20990101 'the module interface 20990101, which is not one of the known versions'
other=20160303
[ "$api" != "$other" ] || other=20240924
refused 'another layout' $other "the module interface $other, but its memory does not have the layout of PHP [0-9.]+"
