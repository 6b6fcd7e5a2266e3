#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# endings: ends a recording by real SystemTap in every possible way, and checks the exit code, the time, the kept samples and what is left
# behind. The table is a note.
# tier: all
set -eu
. /lab/guest.sh

BIN=sample-bt BURN=/lab/made/endings/programs/ladder RECORD="-u --module /lab/made/endings/u.ko" TERMINAL=/lab/programs/terminal.pl
TMPDIR=$T
export TMPDIR
. /lab/endings.sh

prepare() {
	sh /lab/programs/build "$LAB_WORK/programs"
	lab_start "$BURN" 600
	lab_record -F 200 -p "$target" -u -o "$LAB_WORK/u.ko"
	sample-bt --compile-only -r "$KVER" -p "$target" -u --overload 1 -o "$LAB_WORK/fuse.ko"
	# the lock of the list of targets is held for longer than a tick takes, and no probe waits for it
	cp -R /usr/local/share/flametap "$LAB_WORK/data"
	echo 'probe timer.profile.freq.hz(97) { for (held = 0; held < 2000; held++) target_threads[-1] = held }' >>"$LAB_WORK/data/stap/on-cpu.stp"
	export FLAMETAP_DATADIR="$LAB_WORK/data"
	lab_record -F 997 -p "$target" -u --stap-arg -DMAXTRYLOCK=1 --stap-arg -DTRYLOCKDELAY=1 -o "$LAB_WORK/holds.ko"
	lab_finish
}

is_compiling() {
	pgrep -x stap >/dev/null
}

# kill -9 of one of SystemTap's processes, and of all processes
endings_of_systemtap() {
	target "$BURN" 120
	driver
	recorded 2
	kill -KILL $(pgrep -x stapio)
	ended 'stapio killed' 1 15 some
	note "$T/stderr"

	target "$BURN" 120
	driver
	recorded 1
	kill -KILL "$driver" $(pgrep -x flametap-guard) $(pgrep -x stapio)
	ended 'everybody killed' 137 2 none 'claim module'

	target "$BURN" 120
	driver -t 1
	recorded 0
	ended 'the next start sweeps' 0 5 some

	words=$RECORD
	RECORD="-u --module $LAB_WORK/fuse.ko"
	target "$BURN" 120
	driver -t 20
	recorded 0
	ended 'overload' 1 20 any
	check 'overload: says why' grep -q 'the probes took more of a processor' "$T/stderr"

	"$BURN" 120 2 >/dev/null &
	other=$!
	RECORD="-u --module $LAB_WORK/holds.ko -p $other"
	export FLAMETAP_DATADIR="$LAB_WORK/data"
	target "$BURN" 120 2
	driver -t 2
	recorded 0
	ended 'probes skipped' 0 7 some
	note "$T/stderr"
	unset FLAMETAP_DATADIR
	check 'probes skipped: they are counted' grep -q '(skipped [1-9]' "$T/stderr"
	kill "$other"

	sed "s/vermagic=$KVER/vermagic=9.9.9/" "$LAB_WORK/u.ko" >"$T/other.ko"
	RECORD="-u --module $T/other.ko"
	target "$BURN" 120
	driver
	ended 'module of another kernel' 2 5 none
	check 'module of another kernel: says which' grep -q 'was built for kernel 9.9.9' "$T/stderr"

	RECORD='-u --stap-arg --no-such-option'
	target "$BURN" 120
	driver
	ended 'stap fails' 2 30 none

	RECORD='-k --stap-arg -DNEVER_COMPILED'
	target "$BURN" 120
	driver
	until_true is_compiling
	kill -INT "$driver"
	ended 'ctrl-c while compiling' 2 5 none

	target "$BURN" 120
	driver
	until_true is_compiling
	kill -KILL "$driver"
	ended 'killed while compiling' 137 2 none
	RECORD=$words
}

endings_of_machine() {
	mkdir "$T/full"
	mount -t tmpfs -o size=16k tmpfs "$T/full"
	target "$BURN" 120
	driver -o "$T/full/a.svg" -t 1
	recorded 0
	ended 'disk full' 2 6 some
	check_eq 'disk full: nothing on it' '' "$(ls -A "$T/full")"
	umount "$T/full"
	check 'disk full: the recording is kept elsewhere' grep -q "the recording is kept in '$T/" "$T/stderr"

	target "$BURN" 120
	driver -t 3
	recorded 1
	date -s tomorrow >/dev/null
	ended 'the clock jumps ahead' 0 6 some
	target "$BURN" 120
	driver -t 3
	recorded 1
	date -s yesterday >/dev/null
	ended 'the clock jumps back' 0 6 some
}

in_guest() {
	endings_of_driver
	endings_of_guard
	endings_of_output
	endings_of_target
	endings_of_systemtap
	endings_of_machine
	endings_show
	lab_keep "$endings_table"
}

guest_main "$@"
