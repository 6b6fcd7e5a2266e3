#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# bpf-start: stacks are whole from the first ones on, when every table of unwind rules is still to be made: of all processes for some
# seconds, of a command from its first instruction.
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

# nearly_all NAME WHAT: at least 90 % are whole
nearly_all() {
	check_eq "$2: exit code" 0 "$status"
	note_account "$2" "$1"
	if at_least "$(account whole "$1")" 90; then
		ok "$2: whole stacks"
	else
		not_ok "$2: whole stacks" "$(account whole "$1") % are whole, not 90 %"
		others "$T/$1.folded" '^[^;]*;(_start|_*clone3?|[^;]*_\[k\])[; ]'
	fi
}

in_guest() {
	lab_start perl /lab/programs/work.pl 600
	record all -a -t 5
	nearly_all all '-a -t 5'
	lab_finish
	record xz -- xz -c "$LAB_WORK/data"
	nearly_all xz '-- xz'
	record children -- sh -c "ls -lR /lib >/dev/null; gzip -c '$LAB_WORK/data' | wc -c"
	nearly_all children '-- sh'
	lab_keep "$T"/*.folded "$T"/*.err
}

guest_main "$@"
