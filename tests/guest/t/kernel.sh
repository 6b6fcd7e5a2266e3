#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# kernel: kernel stacks of one process and of the whole system.
# tier: all
set -eu
. /lab/guest.sh

start() {
	lab_start dd if=/dev/zero of=/dev/null bs=64k
}

prepare() {
	start
	lab_record -F 200 -p "$target" -k
	lab_module k -F 200 -p "$target" -k
	lab_module uk -F 200 -p "$target"
	lab_module all -F 200 -a -k
	lab_finish
}

# Under sudo, written files and a started command belong to the user who called it.
as_invoking_user() {
	mkdir /tmp/nobody
	chown 65534:65534 /tmp/nobody
	export SUDO_UID=65534 SUDO_GID=65534
	lab_record -q -F 200 -p "$target" -k -t 1 -o /tmp/nobody/a.rec && ok 'as with sudo' || not_ok 'as with sudo' "exit $?"
	check_eq 'as with sudo: the file is the user'"'"'s' '65534 600' "$(stat -c '%u %a' /tmp/nobody/a.rec)"
	lab_module k -q -k -o /tmp/nobody/b.rec -- sh -c 'id -u; exec dd if=/dev/zero of=/dev/null bs=64k count=20000' >"$T/uid" 2>/dev/null ||
		not_ok 'a command under sudo' "exit $?"
	check_eq 'a command under sudo runs as the user' 65534 "$(cat "$T/uid")"
	unset SUDO_UID SUDO_GID
}

in_guest() {
	start
	lab_module k -p "$target" -k -t 5 -o "$T/k.folded" -o "$T/k.svg" -o "$T/k.rec" 2>"$T/k.err" && ok 'kernel stacks' || not_ok 'kernel stacks' "exit $?"
	lab_module uk -p "$target" -t 5 -o "$T/uk.folded" -o "$T/uk.svg" 2>"$T/uk.err" && ok 'both stacks' || not_ok 'both stacks' "exit $?"
	# work for threads of the kernel
	sh -c 'while :; do dd if=/dev/zero of="$1" bs=64k count=16 conv=fsync 2>/dev/null; done' sh "$LAB_WORK/written" &
	writer=$!
	lab_module all -a -k -t 5 -o "$T/a.folded" -o "$T/a.svg" 2>"$T/a.err" && ok 'all processes' || not_ok 'all processes' "exit $?"
	kill $writer
	as_invoking_user
	lab_finish
	lab_keep "$T"/*.folded "$T"/*.svg "$T"/*.rec "$T"/*.err
	note "$T/k.err"

	path='entry_SYSCALL_64_after_hwframe_\[k\];do_syscall_64_\[k\];.*ksys_read_\[k\]'
	check 'the path of read' grep -q "^$path" "$T/k.folded"
	check_eq 'no kernel stack begins elsewhere than at an entry' 0 \
		"$(grep -vcE '^(entry_|asm_|ret_from_|common_interrupt|syscall_)' "$T/k.folded")"
	check_eq 'no leaf is doubled' 0 "$(grep -cE ';([^;]+_\[k\]);\1 [0-9]+$' "$T/k.folded")"
	check 'all frames have names' grep -q '100.0 % named' "$T/k.err"
	check 'under the user stack' grep -q "^_start;.*;$path" "$T/uk.folded"
	check 'dd is a root' grep -q "^dd;$path" "$T/a.folded"
	check_eq 'idle is hidden' 0 "$(grep -c '^swapper' "$T/a.folded")"
	check 'kernel threads are visible' grep -qE '^(kworker|rcu_|ksoftirqd|kcompactd|migration|kthreadd|jbd2|khugepaged|kswapd)' "$T/a.folded"
	cut -d';' -f1 "$T/a.folded" | sort | uniq -c | note
}

guest_main "$@"
