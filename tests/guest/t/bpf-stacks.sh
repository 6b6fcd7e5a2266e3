#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# bpf-stacks: user and kernel stacks of a process, of everything, of a command and of a process's children, compared with programs that know
# their stacks and print how they split their work.
# suites: sid trixie bookworm bullseye
# engine: bpf
# tier: all
set -eu
. /lab/guest.sh
. /lab/record.sh

BIN=sample-bt rate=499
programs=/lab/made/bpf-stacks/programs
climb='main(;climb)?(;(one|two)_step){40,41};sort(;[^;]+)+;work_(seven|three)'

prepare() {
	sh /lab/programs/build "$programs"
}

# seven OUT: prints the per cent of its work that ladder did in work_seven, by its own output
seven() {
	awk '$1 == "seven" { print 100 * $2 / ($2 + $4) }' "$1"
}

of_a_process() {
	lab_start "$programs/ladder" 600 1
	record user -u -F "$rate" -p "$target" -t 4
	lab_finish
	note_account -u user
	expect_stack "$T/user.folded" "$climb" 95 '-u: its stack'
	expect_account '-u: the account' user 99 300
	expect_share '-u: its shares' "$T/user.folded" ';work_seven ' "$(seven "$T/target.out")"
}

of_the_kernel() {
	lab_start dd if=/dev/zero of=/dev/null bs=64k
	record kernel -k -F "$rate" -p "$target" -t 2
	record both -uk -F "$rate" -p "$target" -t 2
	lab_finish
	note_account -k kernel
	expect_account '-k: the account' kernel 99
	check_eq '-k: frames of the kernel alone' 0 "$(grep -avcE '^([^;]*_\[k\];)*[^;]*_\[k\] [0-9]+$' "$T/kernel.folded")"
	check '-k: from the system call on' \
		grep -qE '^(entry_SYSCALL_64_after_hwframe_\[k\];)do_syscall_64_\[k\];(.*;)?ksys_read_\[k\];.*_\[k\] ' "$T/kernel.folded"
	note_account -uk both
	expect_account '-uk: the account' both 99
	check '-uk: the kernel on top of the program' \
		grep -qE '^_start;.*;main;(.*;)?[^;]*read[^;]*;(.*;)?entry_SYSCALL_64_after_hwframe_\[k\];.*;ksys_read_\[k\]' "$T/both.folded"
}

of_a_deep_stack() {
	lab_start "$programs/deep" 600 1500
	record deep -u -F "$rate" -p "$target" -t 2
	lab_finish
	note_account 'deep (1,500 frames)' deep
	expect_stack "$T/deep.folded" 'main(;down){1500}(;work)?' 95 'deep: all 1,500 calls'
	expect_account 'deep: the account' deep 99
}

# Several programs at a time are distinguished by their names.
of_everything() {
	"$programs/deep" 600 100 >"$T/other.out" &
	other=$!
	lab_start "$programs/ladder" 600 1
	record all -a -F "$rate" -t 5
	lab_finish
	kill $other
	note_account -a all
	grep -a '^ladder;' "$T/all.folded" >"$T/ladder.folded" || :
	roots='ladder;'
	expect_stack "$T/ladder.folded" "$climb(;[^;]*_\[k\])*" 95 '-a: one program'
	expect_share '-a: its shares' "$T/ladder.folded" ';work_seven[ ;]' "$(seven "$T/target.out")"
	grep -a '^deep;' "$T/all.folded" >"$T/deep.folded" || :
	roots='deep;'
	expect_stack "$T/deep.folded" 'main(;down){100}(;work)?(;[^;]*_\[k\])*' 95 '-a: the other'
	roots=''
	check '-a: the recorder itself' grep -q '^sample-bt;' "$T/all.folded"
}

# A command and the programs that it starts are recorded from beginning to end; bpf-start tests how whole that is.
of_a_command() {
	record command -u -F "$rate" -- sh -c "$programs/ladder 4 1; $programs/deep 1 10; true"
	note_account '-- COMMAND' command
	check_eq '-- COMMAND: exit code' 0 "$status"
	grep -a '^ladder;.*;work_' "$T/command.folded" >"$T/ladder.folded" || :
	expect_share '-- COMMAND: shares of a child' "$T/ladder.folded" ';work_seven ' "$(seven "$T/command.out")"
	check '-- COMMAND: the other child is named' grep -qE '^deep;_start;.*;main(;down){10}[; ]' "$T/command.folded"
}

# A process that starts others only while it is recorded.
of_children() {
	mkfifo "$T/go"
	lab_start sh -c "read go <'$T/go'; $programs/ladder 4 1; $programs/deep 1 10; true"
	begin_record children -u -F "$rate" -p "$target" --children
	echo go >"$T/go"
	end_record
	lab_finish
	note_account --children children
	check '--children: one of them' grep -qE "^ladder;_start;.*$climb " "$T/children.folded"
	check '--children: the next one' grep -qE '^deep;_start;.*;main(;down){10}[; ]' "$T/children.folded"
}

# In execve, after its old program is dropped, and at its end a process has no user memory.
of_ends() {
	record ends -u -F "$rate" -- "$programs/leave" 5
	note_account 'without user memory' ends
	for why in execve exiting; do
		check "no user stack: $why" test "$(weight "$T/ends.folded" "^\\[no user stack: $why\\] ")" -gt 0
	done
	check_eq 'no user stack: why is known' 0 "$(weight "$T/ends.folded" '\[no stack\]')"
}

in_guest() {
	of_a_process
	of_the_kernel
	of_a_deep_stack
	of_everything
	of_a_command
	of_children
	of_ends
	lab_keep "$T"/*.folded "$T"/*.err
}

guest_main "$@"
