#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# cost: the cycles of one sample, compared with keys that are strings: bts[ubacktrace()] <<< 1. Under emulation only the ratio of the
# figures is meaningful, so the test only checks that there are figures.
# tier: all
set -eu
. /lab/guest.sh

work=/lab/made/cost
limits='-DMAXBACKTRACE=1024 -DMAXACTION=100000 -DMAXMAPENTRIES=4096 -DSTP_NO_OVERLOAD --suppress-handler-errors'

# cost SCRIPT STRING-LENGTH: prints the script's line "cost HITS CYCLES"
cost() {
	# shellcheck disable=SC2086
	lab_stap $limits -DMAXSTRINGLEN="$2" -I /usr/local/share/flametap/tapsets/stacks -d "$work/programs/deep" \
		-d "$(realpath /lib/x86_64-linux-gnu/libc.so.6)" -x "$target" "$work/$1.stp" 2>"$T/err" | sed -n 's/^cost //p'
}

measure() {
	for depth in 10 40 120; do
		lab_start "$work/programs/deep" 900 $depth
		numbers=$(cost numbers 4096)
		strings=$(cost strings 2048)
		lab_finish
		[ "$LAB_PART" = prepare ] ||
			echo "# $depth calls deep: by number $numbers, by string $strings (samples, cycles each, cycles of the unwinding)"
	done
}

prepare() {
	sh /lab/programs/build "$work/programs"
	cat >"$work/numbers.stp" <<-'E'
		global cost, unwinding
		probe timer.profile.freq.hz(200) {
			if (pid() == target()) {
				start = get_cycles()
				user = stacks_user()
				unwound = get_cycles()
				due = stacks_add(user, 0, 1)
				if (due & 1) stacks_print_user(user)
				if (due & 4) stacks_print_task()
				unwinding <<< unwound - start
				cost <<< get_cycles() - start
			}
		}
		probe timer.s(3) { exit() }
		probe end { printf("cost %d %d %d\n", @count(cost), @avg(cost), @avg(unwinding)) }
	E
	cat >"$work/strings.stp" <<-'E'
		global cost, bts
		probe timer.profile.freq.hz(200) {
			if (pid() == target()) {
				start = get_cycles()
				bts[ubacktrace()] <<< 1
				cost <<< get_cycles() - start
			}
		}
		probe timer.s(3) { exit() }
		probe end { printf("cost %d %d -\n", @count(cost), @avg(cost)) }
	E
	measure
}

in_guest() {
	measure
	check 'figures' test -n "$numbers" -a -n "$strings"
	note "$T/err"
}

guest_main "$@"
