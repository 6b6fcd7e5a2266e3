#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# refused: a container's filter refuses seccomp(2): children that read files are confined by the other means, and their results are the
# same. Where it refuses prctl(2), too, tables are not built by a process that could gain privileges, which is said.
set -eu
. "$TOP/tests/lib.sh"
. "$TOP/tests/hostile/lib.sh"

at_end 'kill $target 2>/dev/null'
chmod 755 "$T_top"
chmod 777 "$T"
cp "$BIN" "$T/sample-bt"

# start: $target is of a build-id that no cache has, and whose tables are not written to root's
start() {
	fresh_program "$T/fresh" "$TOP/tests/hostile/programs/mapped.c"
	chown nobody "$T/fresh"
	as_nobody "$T/fresh" >"$T/out" &
	target=$!
	until_true 60 grep -q spinning "$T/out" || note "$T/out"
}

stop() {
	kill $target
	wait $target || :
}

# expect_names RECORDING
expect_names() {
	expect_right "$1: names" "$(weight "$T/$1.folded" 'spin$')" "$(weight "$T/$1.folded")"
}

# expect_whole RECORDING
expect_whole() {
	expect_right "$1: whole stacks" "$(weight "$T/$1.folded" "$(whole_stack 'main.*spin')")" "$(weight "$T/$1.folded")"
}

recorder() {
	timeout -s KILL 300 "$CASES/refused" "$refused" "$BIN" --engine bpf --min-quality 0 "$@"
}
for refused in seccomp seccomp,prctl; do
	start
	record $refused -u -p "$target" -t 1
	stop
	note "$T/$refused.err"
	check_eq "$refused: exit code" 0 "$status"
	expect_samples "$refused"
	expect_names $refused
	"$CASES/refused" $refused "$(dirname "$BIN")/bt-report" --top 1 "$T/$refused.rec" >"$T/view" 2>&1
	check "$refused: a view" grep -q ' spin \[fresh\]' "$T/view"
done
expect_whole seccomp
check 'seccomp,prctl: it is said' grep -q 'cannot be confined, as prctl or setresuid is refused here' "$T/seccomp,prctl.err"

# a user with capabilities
recorder() {
	timeout -s KILL 300 "$CASES/refused" seccomp setpriv --reuid nobody --regid nogroup --clear-groups \
		--inh-caps=-all,+bpf,+perfmon,+sys_ptrace --ambient-caps=-all,+bpf,+perfmon,+sys_ptrace \
		"$T/sample-bt" --engine bpf --min-quality 0 "$@"
}
start
HOME=$T record capabilities -u -p "$target" -t 1
stop
note "$T/capabilities.err"
check_eq 'capabilities: exit code' 0 "$status"
expect_whole capabilities
expect_names capabilities
