#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# refused: a container's filter refuses seccomp(2): children that read files are confined by the other means, and their results are the
# same. If it refuses prctl(2), too, tables are not built by a process that could gain privileges, and this is reported.
set -eu
. "$TOP/tests/hostile/lib.sh"

at_end 'kill $target 2>/dev/null'
let_nobody_record

# start_fresh: starts a $target whose build-id is in no cache, and whose tables are not written to root's cache
start_fresh() {
	fresh_program "$T/fresh" "$TOP/tests/hostile/programs/mapped.c"
	chown nobody "$T/fresh"
	start spinning "$T/fresh"
}

stop() {
	kill $target
	wait $target || :
}

recorder() {
	timeout -s KILL 300 "$CASES/refused" "$refused" "$BIN" --engine bpf --min-quality 0 "$@"
}
for refused in seccomp seccomp,prctl; do
	case $refused in
	seccomp) stack='main.*spin' ;;
	*) stack='^.*spin' ;;
	esac
	start_fresh
	record_until_decided $refused "$stack" -u -p "$target"
	stop
	check_eq "$refused: exit code" 0 "$status"
	"$CASES/refused" $refused "$(dirname "$BIN")/bt-report" --text --top 1 "$T/$refused.rec" >"$T/view" 2>&1
	check "$refused: a view" grep -q ' spin \[fresh\]' "$T/view"
done
check 'seccomp,prctl: it is said' grep -q 'cannot be confined, as prctl or setresuid is refused here' "$T/seccomp,prctl.err"

# a recorder that runs as a user with capabilities
recorder() {
	timeout -s KILL 300 "$CASES/refused" seccomp setpriv --reuid nobody --regid nogroup --clear-groups \
		--inh-caps=-all,+bpf,+perfmon,+sys_ptrace --ambient-caps=-all,+bpf,+perfmon,+sys_ptrace \
		"$T/sample-bt" --engine bpf --min-quality 0 "$@"
}
start_fresh
HOME=$T record_until_decided capabilities 'main.*spin' -u -p "$target"
stop
check_eq 'capabilities: exit code' 0 "$status"

# libbpf takes some failures for missing features of the kernel; files that were inherited have any numbers
for files in 20 40 60; do
	status=0
	(ulimit -n "$files" && exec 5</dev/null 7</dev/null 9</dev/null &&
		exec "$BIN" --engine bpf -a -t 1 -o "$T/few.rec") >"$T/err" 2>&1 || status=$?
	check_eq "$files files: exit code" 2 "$status"
	check "$files files: what helps" grep -q 'Too many open files; raise the limit of open files' "$T/err"
	check_eq "$files files: no bug" '' "$(grep 'report it' "$T/err" || :)"
done
