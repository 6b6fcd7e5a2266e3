#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# setuid: the target executes root's setuid program, which only root may read. A recorder that runs as root records all of it. For a user
# with capabilities the program has no names and its file is not opened, and the rest of the recording is as usual.
set -eu
. "$TOP/tests/hostile/lib.sh"

at_end 'kill $target 2>/dev/null'
let_nobody_record
cp "$CASES/privileged" "$T/"
fresh_program "$T/secret" "$TOP/tests/hostile/programs/privileged.c"
chmod 4711 "$T/secret"
start . "$T/privileged" "$T/secret"
sleep 1
if grep -q 'status 3' "$T/out"; then
	skip setuid 'setuid programs have no effect here'
	exit 0
fi

# recorded NAME ERE: checks that there are the target's own stacks, and the setuid program's stacks, which match ERE
recorded() {
	longer=$decided_seconds
	check "$1: the target's stacks and the program's" until_true sees_both "$@"
	note "$T/$1.err"
	check_eq "$1: exit code" 0 "$status"
}

sees_both() {
	record_longer "$1" -u --children -p $target
	grep -q '^privileged;.*;open_work' "$T/$1.folded" && grep -q "^secret;$2" "$T/$1.folded"
}

recorded root '.*;main;secret_work'

recorder() {
	record_as_nobody "$user_capabilities" "$@"
}
user_capabilities=+bpf,+perfmon
recorded bpf,perfmon ''
check_eq 'bpf,perfmon: names of the setuid program' 0 "$(weight "$T/bpf,perfmon.folded" 'secret_work')"
id=$(readelf -n "$T/secret" | sed -n 's/.*Build ID: //p')
# capabilities with which a user may read its memory, but not its file
user_capabilities=+bpf,+perfmon,+sys_ptrace
recorded sys_ptrace ''
check_eq 'sys_ptrace: names of the setuid program' 0 "$(weight "$T/sys_ptrace.folded" 'secret_work')"
check_eq 'nothing of it is in the cache' '' "$(find "$T" -name "$id*")"
