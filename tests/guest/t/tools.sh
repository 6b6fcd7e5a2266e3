#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# tools: the scripts of tools with SystemTap, with programs that know their figures. SystemTap may skip a probe while another processor is in
# one, so that there may be fewer events, but not more.
# suites: sid trixie bookworm
# tier: all trixie bookworm
set -eu
. /lab/guest.sh
. /lab/record.sh
. /lab/syscalls.sh
. /lab/faults.sh

BIN=$(command -v sample-bt || :)
N=20

prepare() {
	FILES=$LAB_WORK/files PAGES=$LAB_WORK/pages
	cc -O2 -g -fomit-frame-pointer -pthread -o "$FILES" /lab/programs/files.c
	cc -O2 -g -fomit-frame-pointer -o "$PAGES" /lab/programs/pages.c
	mkdir -p "$LAB_WORK/data"
	lab_start "$FILES" wait "$LAB_WORK/data" $N
	lab_module syscalls --script syscalls --stap-arg $lab_lock_wait -p "$target"
	lab_finish
	lab_start "$PAGES" wait "$LAB_WORK/data" $N
	lab_module faults --script faults --stap-arg $lab_lock_wait -p "$target"
	lab_finish
}

recorder() {
	lab_module "$tool" --script "$tool" --min-quality 1 "$@"
}

# up_to NAME ERE N: checks that the stacks ERE have 1 to N calls
up_to() {
	"${BIN%/*}/bt-collapse" --event calls "$T/$1.rec" >"$T/$1.calls.folded" 2>/dev/null || :
	up_to_calls=$(weight "$T/$1.calls.folded" "^$2\$")
	check "$1: $2: $up_to_calls" test "$up_to_calls" -ge 1 -a "$up_to_calls" -le "$3"
}

in_guest() {
	FILES=$LAB_WORK/files PAGES=$LAB_WORK/pages
	tool=syscalls
	begin_calls syscalls --slice 10ms
	slices_add_up syscalls
	up_to syscalls '_start;.*;main;fill;.*;write_\[k\]' $N
	up_to syscalls '_start;.*;main;scan;.*;read_\[k\]' $((2 * N + 1))
	up_to syscalls '_start;.*;main;fail;.*;openat_\[k\]' $N
	up_to syscalls '.*;lonely;getppid;getppid_\[k\]' $N
	check 'syscalls: sleeps' test "$(weight "$T/syscalls.folded" ';nap;.*;clock_nanosleep_\[k\]$')" -ge 2000000
	check 'syscalls: missing files' grep -q ' error ENOENT$' "$T/syscalls.rec"
	tool=faults
	begin_faults faults --slice 10ms
	slices_add_up faults
	check 'faults: new pages' test "$(faults_of faults grow minor)" -ge 1 -a "$(faults_of faults grow minor)" -le $N
	lab_keep "$T"/*.folded "$T"/*.err
}

guest_main "$@"
