#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# mapping-storm: a target with 20,000 executable mappings changes them 10,000 times a second.
set -eu
. "$TOP/tests/lib.sh"
. "$TOP/tests/hostile/lib.sh"

recorder() {
	measured "$@"
}

as_nobody "$CASES/mappings" 20000 10000 >"$T/out" &
target=$!
until_true 60 grep -q spinning "$T/out" || note "$T/out"
for how in "-p $target" -a; do
	# shellcheck disable=SC2086 # options
	expect_record "${how%% *}" 0 $how -u -t 3
	check "${how%% *}: CPU time $(used cpu) s, below 2.5 s" at_least 2.5 "$(used cpu)"
	check "${how%% *}: elapsed $(used elapsed) s, below 15 s" at_least 15 "$(used elapsed)"
	check "${how%% *}: memory $(used memory) KiB, below 400 MiB" at_least 409600 "$(used memory)"
	check "${how%% *}: samples" at_least "$(account kept "${how%% *}")" 20
done
kill $target
