#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# scripts: every form of on-cpu.stp and off-cpu.stp, and at.stp, passes stap's first three passes; a user's own script that uses the tapset; what the
# driver does with wrong options.
# tier: all
set -eu
. /lab/guest.sh

share=/usr/local/share/flametap

translates() {
	name=$1
	shift
	# shellcheck disable=SC2046 # a word a folder
	stap -r "$KVER" -p3 $(printf ' -I %s' $share/tapsets/*/) "$@" >"$T/translated.c" 2>"$T/errors" && ok "$name" || {
		not_ok "$name" 'does not translate'
		note "$T/errors"
	}
	! grep -q 'parse error' "$T/errors" || not_ok "$name: tapset" 'parse error'
}

# The lock of the tables must not be held while a stack is unwound or printed; in the branch for a list of targets it is held.
unlocked_unwinding() {
	awk -v list="$1" '/^static void probe_/ { at = "" } /stp_lock_probe\(/ { at = "lock" } /stp_unlock_probe\(/ { at = "" }
		list && /map_exists_ii \(global\(s___global_target_(processes|threads)\)/ { exit }
		/function___global_stacks_(print_)?(user|kernel)(_of)?__overload_0 \(c\);/ { seen++; if (at == "lock") bad = 1 }
		END { exit bad || !seen }' "$T/translated.c"
}

prepare() {
	for stacks in u k uk; do
		for whose in some all idle; do
			translates "on-cpu $stacks $whose" $share/stap/on-cpu.stp $stacks $whose
			check "on-cpu $stacks $whose: no lock while unwinding" unlocked_unwinding "${whose#all}"
		done
		translates "on-cpu $stacks some 99" $share/stap/on-cpu.stp $stacks some 99
		translates "on-cpu $stacks some 0 65536" $share/stap/on-cpu.stp $stacks some 0 65536
	done
	for stacks in u k uk; do
		translates "off-cpu $stacks some" $share/stap/off-cpu.stp $stacks some 0 65536 15
		translates "off-cpu $stacks all" $share/stap/off-cpu.stp $stacks all 0 65536 255
		check "off-cpu $stacks all: no lock while unwinding" unlocked_unwinding ''
	done
	translates 'off-cpu uk some, preempted ones' $share/stap/off-cpu.stp uk some 0 65536 16
	# the rows of interpreters
	forms=$(sed -n 's/.*@vm_row(@stacks, @part, \(\("[a-z]*", \)*\).*/\1/p' $share/tapsets/vm/vm.stpm | tr -d '",')
	check 'there are interpreters' test -n "$forms"
	for stacks in $forms; do
		for whose in some all; do
			translates "on-cpu $stacks $whose" $share/stap/on-cpu.stp $stacks $whose
			check "on-cpu $stacks $whose: follows mappings for user stacks" follows_mappings $stacks
			translates "off-cpu $stacks $whose" $share/stap/off-cpu.stp $stacks $whose 0 65536 255
		done
	done
	check "off-cpu $stacks all: no lock while unwinding" unlocked_unwinding ''
	for stacks in u k uk l lk puk; do
		translates "on-cpu $stacks with labels" $share/stap/on-cpu.stp $stacks all 0 65536 nginx
		check "on-cpu $stacks with labels: follows mappings for user stacks" follows_mappings $stacks
		[ $stacks = l ] || check "on-cpu $stacks with labels: no lock while unwinding" unlocked_unwinding ''
		translates "off-cpu $stacks with labels" $share/stap/off-cpu.stp $stacks all 0 65536 255 nginx
		[ $stacks = l ] || check "off-cpu $stacks with labels: no lock while unwinding" unlocked_unwinding ''
	done
	# following the mappings of all processes would cost time in every system call
	translates 'on-cpu k all' $share/stap/on-cpu.stp k all
	check 'on-cpu k: does not follow mappings' sh -c "! grep -q stap_start_task_finder '$T/translated.c'"
	translates 'off-cpu k all' $share/stap/off-cpu.stp k all 0 65536 255
	check 'off-cpu k: does not follow mappings' sh -c "! grep -q stap_start_task_finder '$T/translated.c'"
	translates 'on-cpu u some' $share/stap/on-cpu.stp u some
	check 'on-cpu u: does' grep -q stap_start_task_finder "$T/translated.c"
	for stacks in k uk p puk; do
		translates "at $stacks" $share/stap/at.stp $stacks some 0 65536 none value 1 1 1 none 'timer.s(1)' never 'kernel.trace("sys_enter")' never
	done
	translates 'at uk with labels' $share/stap/at.stp uk all 0 65536 nginx value 1 1 1 none 'timer.s(1)' never
	translates 'a script of a user' -e '
		probe syscall.read { if (pid() == target()) { u = stacks_user(); k = stacks_kernel()
			due = stacks_add(u, k, 1)
			if (due & 1) stacks_print_user(u)
			if (due & 2) stacks_print_kernel(k)
			if (due & 4) stacks_print_task() } }
		probe end, error { stacks_print_sums() }'
	translates 'a script of a user with Perl' -e '
		probe timer.profile { if (pid() == target()) { perl = perl_backtrace(); perl_print_stack(perl); perl_print_backtrace()
			u = stacks_user(); mixed = perl_with_native(u); perl_print_with_native(mixed, u); stacks_print_user(mixed)
			printf("%s%s%s", perl_backtrace_text(), perl_sub(), perl_statement()) } }'
	translates 'a script of a user with Lua' -e '
		probe timer.profile { if (pid() == target()) { lua = lua_backtrace(); lua_print_stack(lua); lua_print_backtrace()
			printf("%s%s%s%s", lua_backtrace_text(), lua_function(), lua_location(), lua_state_name(lua)) } }'
	translates 'a script of a user with nginx' -e '
		probe timer.profile, kernel.trace("sched_switch"), syscall.openat { if (ngx_request())
			printf("%s%s%s%s%s%s%s%s%s%s%d%d%d%s%s%d", ngx_request_uri(), ngx_request_args(), ngx_request_method(),
				ngx_request_host(), ngx_request_server(), ngx_request_location(), ngx_request_upstream(), ngx_request_peer(),
				ngx_request_client(), ngx_request_phase(), ngx_request_status(), ngx_request_sub(), ngx_connection(),
				ngx_request_label(), ngx_request_place(), stacks_label(ngx_request_label())) }'
	check 'nginx: does not follow mappings' sh -c "! grep -q stap_start_task_finder '$T/translated.c'"
}

# follows_mappings STACKS: checks that the task finder is used if and only if user stacks are recorded
follows_mappings() {
	case $1 in
	*u*) grep -q stap_start_task_finder "$T/translated.c" ;;
	*) ! grep -q stap_start_task_finder "$T/translated.c" ;;
	esac
}

# refused NAME CODE COMMAND…: checks the exit code and that one line states the reason
refused() {
	name=$1 code=$2
	shift 2
	"$@" >"$T/out" 2>"$T/err" && status=0 || status=$?
	check_eq "$name: exit code" "$code" "$status"
	check_eq "$name: nothing on stdout" '' "$(cat "$T/out")"
	note "$T/err"
	check "$name: says why" test "$(grep -c . "$T/err")" -ge 1 -a "$(grep -c . "$T/err")" -le 2
}

in_guest() {
	check 'the script is shown' sh -c 'sample-bt -d -p $$ -u | grep -q "^probe tick"'
	check 'the command is shown' sh -c 'sample-bt -d -p $$ -u | head -n 1 | grep -q "^# stap .*on-cpu.stp u some"'
	check 'words of the command are quoted' sh -c "sample-bt -d -a -k --stap-arg \"it's\" | head -n 1 | grep -qF \"'it'\\\\''s'\""
	refused 'no target' 64 sample-bt -t 1
	refused 'two targets' 64 sample-bt -a -p 1
	refused 'no time' 64 sample-bt -p 1 -t 0
	refused 'a wrong number' 64 sample-bt -p 1,x
	refused 'an unknown ending' 64 sample-bt -p 1 -o a.jpeg
	refused 'an unknown engine' 64 sample-bt -p 1 --engine=magic
	refused 'no such process' 2 sample-bt -p 4000000 -u -t 1
	refused 'no Perl' 2 sample-bt --perl -p $$ -t 1
	refused 'no Perl yet' 2 sample-bt --perl -t 1 -- perl -e 1
	refused 'no such program' 2 sample-bt -- /no/such/program
	env PATH=/nowhere /usr/local/bin/sample-bt -p 1 -k -t 1 >"$T/out" 2>"$T/err" && status=0 || status=$?
	check_eq 'no stap: exit code' 2 "$status"
	check 'no stap: the preflight says so' grep -q 'stap: .*not installed' "$T/err"
	note "$T/err"
	sample-bt --check -u -p $$ >"$T/out" && status=0 || status=$?
	check_eq 'check: a recording would work' 0 "$status"
	note "$T/out"
}

guest_main "$@"
