#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# truncated: the target cuts a file that it has mapped. Reading it through a mapping would end the recorder with SIGBUS.
set -eu
. "$TOP/tests/lib.sh"
. "$TOP/tests/hostile/lib.sh"

chmod 711 "$T_top" "$T"
mkdir "$T/home"
cp "$(ldd /bin/true | sed -n 's/.*=> \(.*libc[^ ]*\).*/\1/p')" "$T/home/library.so"
chmod 777 "$T/home" "$T/home/library.so"
cp "$CASES/truncated" "$T/home/"

# once mapped and cut, and while it is cut and restored all the time
as_nobody "$T/home/truncated" "$T/home/library.so" >"$T/out" &
target=$!
until_true 30 grep -q spinning "$T/out" || note "$T/out"
for how in "-p $target" -a; do
	# shellcheck disable=SC2086 # options
	expect_record "${how%% *}" 0 $how -u -t 2
	check "${how%% *}: samples" at_least "$(account kept "${how%% *}")" 100
done
kill $target
