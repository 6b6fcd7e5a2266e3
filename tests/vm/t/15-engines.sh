#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# 15-engines: both engines on one program that says how it split its work; the built-in one on this kernel with user and kernel stacks,
# on everything, and on processes that come and go.
# vm-limit: 600
# prepare-limit: 1200
# vm-weight: 60
set -eu
. /lab/lib.sh

programs=/lab/made/15-engines/programs

prepare() {
	sh /lab/programs/build "$programs"
	lab_start "$programs/ladder" 600 1
	lab_record -F 200 -p "$target" -u
	lab_finish
}

# share FUNCTION FOLDED: per cent of the weight whose stacks hold it
share() {
	awk -v f="$1" '{ n = $NF; sub(/ [0-9]+$/, ""); all += n; if (index(";" $0 ";", ";" f ";")) part += n }
		END { printf "%.2f\n", all ? 100 * part / all : 0 }' "$2"
}

# record NAME ARG…: of the built-in engine
record() {
	name=$1
	shift
	sample-bt --engine bpf -v -F 200 -o "$T/$name.folded" -o "$T/$name.rec" "$@" 2>"$T/$name.err" && ok "bpf: $name" ||
		not_ok "bpf: $name" "exit $?"
	note "$T/$name.err"
	lab_keep "$T/$name".*
}

# compare: the same program, one engine after the other; the program's own word is about both
compare() {
	lab_start "$programs/ladder" 600 1
	lab_record -F 200 -p "$target" -u -t 6 -o "$T/stap.folded" 2>"$T/stap.err" && ok 'stap' || not_ok 'stap' "exit $?"
	record ladder -p "$target" -u -t 6
	lab_finish
	seven=$(awk '{ print 100 * $2 / ($2 + $4) }' "$T/target.out")
	for engine in stap ladder; do
		near "$engine: share of work_seven" "$(share work_seven "$T/$engine.folded")" "$seven" "$(lab_spread 0.7 "$T/$engine.folded")"
		lab_few "$engine: not 40 calls high" "$(awk '{ n = gsub(/(one|two)_step/, "&"); if ($0 ~ /work_/ && n != 41) bad += $NF }
			END { print bad + 0 }' "$T/$engine.folded")" "$(lab_kept "$T/$engine.folded")"
	done
	sort "$T/stap.folded" | sed 's/ [0-9]*$//' >"$T/stap.stacks"
	heavy=$(sort -t' ' -k2 -nr "$T/ladder.folded" | head -n 2 | sed 's/ [0-9]*$//')
	check 'the heaviest stacks of one are those of the other' sh -c 'echo "$1" | grep -qxFf "$2"' sh "$heavy" "$T/stap.stacks"
}

in_guest() {
	check 'the kernel describes its types' test -r /sys/kernel/btf/vmlinux
	compare
	lab_start dd if=/dev/zero of=/dev/null bs=64k
	record kernel -p "$target" -uk -t 4
	lab_finish
	check 'kernel: through the system call' grep -q 'main;.*;entry_SYSCALL_64_after_hwframe_\[k\];do_syscall_64_\[k\];ksys_read' "$T/kernel.folded"
	lab_few 'kernel: stacks that are not whole' "$(awk '/^\[(broken|truncated)/ { n += $NF } END { print n + 0 }' "$T/kernel.folded")" \
		"$(lab_kept "$T/kernel.folded")"
	lab_start "$programs/deep" 600 1500
	record deep -p "$target" -u -t 3
	lab_finish
	check 'deep: 1,500 calls' awk '{ if (gsub(/;down/, "&") >= 1499) found = 1 } END { exit !found }' "$T/deep.folded"
	record children -- sh -c "$programs/ladder 2 1; $programs/deep 2 10; true"
	check 'children: a program that has ended is named' grep -q '^deep;_start;.*;main;down' "$T/children.folded"
	record all -a -t 3
	check 'all: names of processes' grep -q '^sample-bt;' "$T/all.folded"
}

vm_main "$@"
