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

in_guest() {
	lab_start "$LAB_WORK/programs/ladder" 600 1
	record_until_decided user 'main(;climb)?(;(one|two)_step){40,41};sort(;[^;]+)+;work_(seven|three)' -u -p "$target"
	lab_finish
	lab_start dd if=/dev/zero of=/dev/null bs=64k
	record_until_decided kernel '^(entry_|asm_)[^;]*_\[k\](;[^;]*_\[k\])*' -k -p "$target"
	lab_finish
	check 'kernel: from the system call on' grep -qE '^entry_SYSCALL_64_after_hwframe_\[k\];do_syscall_64_\[k\];(.*;)?ksys_read_\[k\];' "$T/kernel.folded"
	check_eq 'kernel: no leaf is doubled' 0 "$(grep -cE ';([^;]+_\[k\]);\1 [0-9]+$' "$T/kernel.folded")"
	lab_keep "$T"/*.folded "$T"/*.err
}

guest_main "$@"
