#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# 50-cost: cycles of one sample, against keys that are strings: bts[ubacktrace()] <<< 1. Figures under emulation: only their ratio
# says something. Nothing here can fail but the recording itself.
# vm-limit: 400
# prepare-limit: 600
set -eu
. /lab/lib.sh

work=/lab/made/50-cost
share=/usr/share/flametap
limits='-DMAXBACKTRACE=1024 -DMAXACTION=100000 -DMAXMAPENTRIES=4096 -DMAXSKIPPED=1000000000 -DSTP_NO_OVERLOAD --suppress-handler-errors'

start() {
	"$work/programs/deep" 900 "$1" >/dev/null 2>&1 &
	target=$!
	sleep 1
}

finish() {
	kill $target 2>/dev/null || :
	wait $target 2>/dev/null || :
}

# by_number DEPTH, by_string: what is measured
by_number() {
	# shellcheck disable=SC2086
	timed -t $limits -DMAXSTRINGLEN=4096 -I $share/tapsets/stacks -d "$work/programs/deep" -d "$libc" -x "$target" \
		$share/stap/on-cpu.stp u pid 200
}

by_string() {
	# shellcheck disable=SC2086
	timed -t $limits -DMAXSTRINGLEN="$length" -d "$work/programs/deep" -d "$libc" -x "$target" "$work/strings.stp"
}

timed() {
	case $LAB_PART in
	prepare) lab_stap "$@" ;;
	*)
		timeout -s INT 30 stap "$@" >"$T/out" 2>"$T/err" || :
		# "probe hit report": hits: N, cycles: MINmin/AVGavg/MAXmax of the sampling probe
		cat "$T/out" "$T/err" | grep -a 'cycles:.*avg' | grep -aE 'perf|profile' |
			sed -n 's/.*hits: *\([0-9]*\), cycles: *\([0-9]*\)min\/\([0-9]*\)avg\/.*/\1 \3/p' | sort -rn | head -n 1
		;;
	esac
}

setup() {
	libc=$(realpath /lib/x86_64-linux-gnu/libc.so.6)
}

measure() {
	for depth in 10 40 120; do
		length=2048
		start $depth
		numbers=$(by_number)
		strings=$(by_string)
		finish
		[ "$LAB_PART" = prepare ] || echo "# $depth calls deep: by number $numbers, by string $strings (hits, cycles on average)"
	done
}

prepare() {
	sh /lab/programs/build "$work/programs"
	cat >"$work/strings.stp" <<-'E'
		global bts
		probe timer.profile.freq.hz(200) { if (pid() == target()) bts[ubacktrace()] <<< 1 }
		probe end { foreach (bt in bts-) printf("%s %d\n", bt, @count(bts[bt])) }
	E
	setup
	measure
}

in_guest() {
	setup
	measure
	check 'figures' test -n "$numbers" -a -n "$strings"
	tail -n 30 "$T/out" | note
}

vm_main "$@"
