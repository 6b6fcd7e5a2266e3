#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# stap: this suite's SystemTap on its own kernel, on trixie and bookworm with a patched copy of its runtime: exact stacks of a program and of
# the kernel.
# suites: sid trixie bookworm
set -eu
. /lab/guest.sh
. /lab/record.sh

decided_seconds=2

prepare() {
	sh /lab/programs/build "$LAB_WORK/programs"
	lab_start "$LAB_WORK/programs/ladder" 600 1
	lab_module user -F 200 -p "$target" -u
	lab_finish
	lab_start dd if=/dev/zero of=/dev/null bs=64k
	lab_module kernel -F 200 -p "$target" -k
	lab_finish
}

recorder() {
	lab_module "$record_name" --min-quality 1 "$@"
}

# record_slices SECONDS: records by slices of time; checks that samples are in more than one
record_slices() {
	lab_module user -u -p "$target" -t "$1" --slice 250ms -o "$T/slices.rec" 2>"$T/slices.err" || note "$T/slices.err"
	bt-report --by slice "$T/slices.rec" 2>"$T/report.err" >"$T/slices.csv"
	[ "$(wc -l <"$T/slices.csv")" -gt 2 ]
}

in_guest() {
	lab_start "$LAB_WORK/programs/ladder" 600 1
	record_until_decided user 'main(;climb)?(;(one|two)_step){40,41};sort(;[^;]+)+;work_(seven|three)' -u -p "$target"
	record_slices 3 || record_slices 20 || :
	check 'slices: samples in several' test "$(wc -l <"$T/slices.csv")" -gt 2
	check_eq 'slices: their samples are all' "$(bt-collapse "$T/slices.rec" 2>"$T/collapse.err" | awk '{ sum += $NF } END { print sum + 0 }')" \
		"$(awk -F, 'NR > 1 { sum += $2 } END { print sum + 0 }' "$T/slices.csv")"
	check 'slices: their number' awk '$1 == "slices" { found = $2 == 250000000 && $3 >= 12 } END { exit !found }' "$T/slices.rec"
	lab_finish
	lab_start dd if=/dev/zero of=/dev/null bs=64k
	record_until_decided kernel '^(entry_|asm_)[^;]*_\[k\](;[^;]*_\[k\])*' -k -p "$target"
	lab_finish
	check 'kernel: from the system call on' grep -qE '^entry_SYSCALL_64_after_hwframe_\[k\];do_syscall_64_\[k\];(.*;)?ksys_read_\[k\];' "$T/kernel.folded"
	check_eq 'kernel: no leaf is doubled' 0 "$(grep -cE ';([^;]+_\[k\]);\1 [0-9]+$' "$T/kernel.folded")"
	lab_keep "$T"/*.folded "$T"/*.err "$T/slices.csv" "$T/slices.rec"
}

guest_main "$@"
