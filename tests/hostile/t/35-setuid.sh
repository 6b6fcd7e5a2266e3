#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# setuid: the target executes a setuid program of root's that only root may read. Root's recorder has all of it; for a user with capabilities
# the program has no names and its file is not opened, and the rest of the recording is as ever.
set -eu
. "$TOP/tests/lib.sh"
. "$TOP/tests/hostile/lib.sh"

at_end 'kill $target 2>/dev/null'
chmod 755 "$T_top"
chmod 777 "$T"
cp "$BIN" "$CASES/privileged" "$T/"
fresh_program "$T/secret" "$TOP/tests/hostile/programs/privileged.c"
chmod 4711 "$T/secret"
as_nobody "$T/privileged" "$T/secret" >"$T/out" &
target=$!
until_true 60 grep -q . "$T/out" || :
sleep 1
if grep -q 'status 3' "$T/out"; then
	skip setuid 'setuid programs have no effect here'
	exit 0
fi

# recorded NAME: whole, and the target's own stacks are there
recorded() {
	longer=$decided_seconds
	check "$1: the target's stacks and the program's" until_true 60 sees_both "$1"
	note "$T/$1.err"
	check_eq "$1: exit code" 0 "$status"
}

sees_both() {
	record_longer "$1" -u --children -p $target
	grep -q '^privileged;.*;open_work' "$T/$1.folded" && grep -q '^secret;' "$T/$1.folded"
}

recorder() {
	timeout -s KILL 300 "$BIN" --engine bpf --min-quality 0 "$@"
}
recorded root
check 'root: the setuid program, with names' grep -q '^secret;.*;main;secret_work' "$T/root.folded"

recorder() {
	timeout -s KILL 300 setpriv --reuid nobody --regid nogroup --clear-groups \
		--inh-caps="-all,$capabilities" --ambient-caps="-all,$capabilities" \
		"$T/sample-bt" --engine bpf --min-quality 0 "$@"
}
HOME=$T
capabilities=+bpf,+perfmon
recorded bpf,perfmon
check_eq 'bpf,perfmon: names of the setuid program' 0 "$(weight "$T/bpf,perfmon.folded" 'secret_work')"
id=$(readelf -n "$T/secret" | sed -n 's/.*Build ID: //p')
# may read its memory, but not its file
capabilities=+bpf,+perfmon,+sys_ptrace
recorded sys_ptrace
check_eq 'sys_ptrace: names of the setuid program' 0 "$(weight "$T/sys_ptrace.folded" 'secret_work')"
check_eq 'nothing of it is in the cache' '' "$(find "$T" -name "$id*")"
