#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# refused: a container's filter refuses seccomp(2): children that read files are confined by the other means, and their results are the
# same. Where it refuses prctl(2), too, tables are not built by a process that could gain privileges, which is said.
set -eu
. "$TOP/tests/lib.sh"
. "$TOP/tests/hostile/lib.sh"

trap 'kill $target 2>/dev/null || :; test_end' EXIT
chmod 755 "$T_top"
chmod 777 "$T"
cp "$BIN" "$T/sample-bt"

# start: $target is of a build-id that no cache has, and whose tables are not written to root's
start() {
	fresh_program "$T/fresh" "$TOP/tests/hostile/programs/mapped.c"
	chown nobody "$T/fresh"
	as_nobody "$T/fresh" >"$T/out" &
	target=$!
	until_true 30 grep -q spinning "$T/out" || note "$T/out"
}

stop() {
	kill $target
	wait $target || :
}

recorder() {
	timeout -k 1 60 "$CASES/refused" "$refused" "$BIN" --engine bpf --min-quality 0 "$@"
}
for refused in seccomp seccomp,prctl; do
	start
	record_for $refused 2 -u -p "$target"
	stop
	note "$T/$refused.err"
	check_eq "$refused: exit code" 0 "$status"
	check "$refused: samples" at_least "$(account kept $refused)" 20
	check "$refused: names" at_least "$(account named $refused)" 98
	"$CASES/refused" $refused "$(dirname "$BIN")/bt-report" --top 1 "$T/$refused.rec" >"$T/view" 2>&1
	check "$refused: a view" grep -q ' spin \[fresh\]' "$T/view"
done
check 'seccomp: whole stacks' at_least "$(account whole seccomp)" 90
check 'seccomp,prctl: it is said' grep -q 'cannot be confined, as prctl or setresuid is refused here' "$T/seccomp,prctl.err"

# a user with capabilities
recorder() {
	timeout -k 1 60 "$CASES/refused" seccomp setpriv --reuid nobody --regid nogroup --clear-groups \
		--inh-caps=-all,+bpf,+perfmon,+sys_ptrace --ambient-caps=-all,+bpf,+perfmon,+sys_ptrace \
		"$T/sample-bt" --engine bpf --min-quality 0 "$@"
}
start
HOME=$T record_for capabilities 2 -u -p "$target"
stop
note "$T/capabilities.err"
check_eq 'capabilities: exit code' 0 "$status"
check 'capabilities: whole stacks' at_least "$(account whole capabilities)" 90
check 'capabilities: names' at_least "$(account named capabilities)" 98
