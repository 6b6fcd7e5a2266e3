#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# bpf: the built-in engine on this kernel: exact stacks of a program and of the kernel, a wait, stacks of Perl and of Lua.
# suites: sid trixie bookworm bullseye
# engine: bpf
set -eu
. /lab/guest.sh
. /lab/record.sh

BIN=sample-bt decided_seconds=1

prepare() {
	sh /lab/programs/build "$LAB_WORK/programs"
}

user_and_kernel() {
	lab_start "$LAB_WORK/programs/ladder" 600 1
	record_until_decided user 'main(;climb)?(;(one|two)_step){40,41};sort(;[^;]+)+;work_(seven|three)' -u -F 499 -p "$target"
	lab_finish
	lab_start dd if=/dev/zero of=/dev/null bs=64k
	# kernels that can be asked for names tell them although /proc/kallsyms hides the addresses
	restriction=$(cat /proc/sys/kernel/kptr_restrict)
	case $(uname -r) in
	5.*) ;;
	*) echo 2 >/proc/sys/kernel/kptr_restrict ;;
	esac
	record_until_decided kernel '^(entry_|asm_)[^;]*_\[k\](;[^;]*_\[k\])*' -k -F 499 -p "$target"
	check 'kernel: from the system call on' grep -qE '^entry_SYSCALL_64_after_hwframe_\[k\];do_syscall_64_\[k\];(.*;)?ksys_read_\[k\];' "$T/kernel.folded"
	echo "$restriction" >/proc/sys/kernel/kptr_restrict
	lab_finish
}

# Threads that already wait when the recording begins.
waits() {
	lab_start "$LAB_WORK/programs/waits" 600
	expect_record waits 0 --script off-cpu --asleep -p "$target" -t 1
	lab_finish
	check 'waits: where one never wakes' grep -qE ';run;wait_to_the_end;.*read.*;ksys_read_\[k\];.*pipe_read_\[k\].* [0-9]+$' "$T/waits.folded"
	check 'waits: nothing is lost' grep -q ' kept, 0 lost' "$T/waits.err"
}

languages() {
	lab_start perl -e 'sub deep { my $n = shift; return deep($n - 1) + 1 if $n; my $x = 0; $x++ for 1 .. 50_000_000; $x } deep(5) while 1'
	record_until_decided perl '^main(;main::deep){6}' --perl -F 499 -p "$target"
	lab_finish
	echo 'local function deep(n) if n > 0 then return deep(n - 1) + 1 end local x = 0 for i = 1, 2^40 do x = x + i % 3 end return x end
		deep(5)' >"$T/deep.lua"
	lab_start luajit "$T/deep.lua"
	record_until_decided lua '^(.*;)?deep:main chunk(;deep:deep(_\[j\])?){6}' --lua -F 499 -p "$target"
	lab_finish
}

in_guest() {
	user_and_kernel
	waits
	languages
	lab_keep "$T"/*.folded "$T"/*.err
}

guest_main "$@"
