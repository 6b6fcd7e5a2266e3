#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# bpf-start: stacks are whole from the first ones on, although every unwind table is still to be built: of all processes for some seconds,
# and of a command from its first instruction.
# suites: sid trixie bookworm bullseye
# engine: bpf
# tier: all
set -eu
. /lab/guest.sh
. /lab/record.sh

BIN=sample-bt

prepare() {
	seq 1 60000 >"$LAB_WORK/data"
}

# whole_from_start NAME WHAT [PROCESS]: checks that the stacks of this recording, or of one process of it, are whole
whole_from_start() {
	check_eq "$2: exit code" 0 "$status"
	note_account "$2" "$1"
	grep -a "^${3-}" "$T/$1.folded" >"$T/these" || :
	few "$2: stacks that are not whole" $(($(weight "$T/these") - $(weight "$T/these" "$start_ere"))) "$(weight "$T/these")"
	others "$T/these" "$start_ere"
}

start_ere='^([^;]*;)?(_start|_dl_start_user|_*clone3?|[^;]*_\[k\])[; ]'
in_guest() {
	lab_start perl /lab/programs/work.pl 600
	# sample-bt itself builds the tables meanwhile, on emulated CPUs: at the usual rate it has no time to copy so many stacks
	record all -a -t 5 -F 199
	whole_from_start all '-a -t 5' 'perl;'
	lab_finish
	record xz -- xz -c "$LAB_WORK/data"
	whole_from_start xz '-- xz'
	record children -- sh -c "ls -lR /lib >/dev/null; gzip -c '$LAB_WORK/data' | wc -c"
	whole_from_start children '-- sh'
	lab_keep "$T"/*.folded "$T"/*.err
}

guest_main "$@"
