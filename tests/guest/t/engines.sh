#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# engines: both engines record one program that prints how it split its work; the built-in engine on this kernel records user and kernel
# stacks, everything, and processes that start and end.
# tier: all
set -eu
. /lab/guest.sh
. /lab/record.sh

programs=/lab/made/engines/programs

prepare() {
	sh /lab/programs/build "$programs"
	lab_start "$programs/ladder" 600 1
	lab_module stap -F 200 -p "$target" -u
	lab_finish
}

recorder() {
	sample-bt --engine bpf -v -F 200 "$@"
}

# compare: records the same program with one engine after the other; the program's own output covers both
compare() {
	lab_start "$programs/ladder" 600 1
	lab_module stap -p "$target" -u -t 6 -o "$T/stap.folded" 2>"$T/stap.err" && status=0 || status=$?
	check_eq 'stap: exit code' 0 "$status"
	expect_record ladder 0 -p "$target" -u -t 6
	lab_finish
	seven=$(awk '{ print 100 * $2 / ($2 + $4) }' "$T/target.out")
	for engine in stap ladder; do
		expect_share "$engine: share of work_seven" "$T/$engine.folded" ';work_seven[ ;]' "$seven"
		few "$engine: not 40 calls high" "$(awk '{ n = gsub(/(one|two)_step/, "&"); if ($0 ~ /work_/ && n != 41) bad += $NF }
			END { print bad + 0 }' "$T/$engine.folded")" "$(weight "$T/$engine.folded")"
	done
	sort "$T/stap.folded" | sed 's/ [0-9]*$//' >"$T/stap.stacks"
	heavy=$(sort -t' ' -k2 -nr "$T/ladder.folded" | head -n 2 | sed 's/ [0-9]*$//')
	check 'the heaviest stacks of one are those of the other' sh -c 'echo "$1" | grep -qxFf "$2"' sh "$heavy" "$T/stap.stacks"
}

in_guest() {
	check 'the kernel describes its types' test -r /sys/kernel/btf/vmlinux
	compare
	lab_start dd if=/dev/zero of=/dev/null bs=64k
	expect_record kernel 0 -p "$target" -uk -t 4
	lab_finish
	check 'kernel: through the system call' grep -q 'main;.*;entry_SYSCALL_64_after_hwframe_\[k\];do_syscall_64_\[k\];ksys_read' "$T/kernel.folded"
	few 'kernel: stacks that are not whole' "$(weight "$T/kernel.folded" '^\[(broken|truncated)')" "$(weight "$T/kernel.folded")"
	lab_start "$programs/deep" 600 1500
	expect_record deep 0 -p "$target" -u -t 3
	lab_finish
	check 'deep: 1,500 calls' awk '{ if (gsub(/;down/, "&") >= 1499) found = 1 } END { exit !found }' "$T/deep.folded"
	expect_record children 0 -- sh -c "$programs/ladder 2 1; $programs/deep 2 10; true"
	check 'children: a program that has ended is named' grep -q '^deep;_start;.*;main;down' "$T/children.folded"
	sample-bt --engine auto -o "$T/followed.folded" -- sh -c "$programs/deep 2 10; true" 2>"$T/followed.err"
	check_eq 'a command: exit code' 0 "$?"
	check 'a command: the built-in engine follows what it starts' grep -qx \
		'sample-bt: using the built-in engine: only it follows what the command starts' "$T/followed.err"
	check 'a command: its child' grep -q '^deep;.*;main;down' "$T/followed.folded"
	expect_record all 0 -a -t 3
	check 'all: names of processes' grep -q '^sample-bt;' "$T/all.folded"
	lab_keep "$T"/*.folded "$T"/*.rec "$T"/*.err
}

guest_main "$@"
