#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# rights: the built-in engine with capabilities instead of root: what each set allows, and what is reported if a capability is missing.
set -eu
. "$TOP/tests/lib.sh"
. "$TOP/tests/record.sh"

# the user nobody must reach the program and a folder of its own
chmod 711 "$T_top" "$T"
mkdir "$T/home"
chmod 777 "$T/home"
cp "$BIN" "$T/home/sample-bt"
T=$T/home
export HOME="$T"
cd "$T"

# as LIST COMMAND…: runs COMMAND as nobody with these capabilities ("bpf,perfmon"), or without any if LIST is empty
as() {
	list=$(printf %s "$1" | sed 's/[a-z]/+&/; s/,/,+/g')
	shift
	setpriv --reuid nobody --regid nogroup --clear-groups --no-new-privs --inh-caps="${list:--all}" --ambient-caps="${list:--all}" "$@"
}

if ! as '' ./sample-bt --version >/dev/null; then
	skip rights "nobody cannot run programs in $T"
	exit 0
fi

recorder() {
	as "$rights" ./sample-bt --engine bpf "$@"
}

# record_busy ARG…: records while the two processes are busy, which are stopped otherwise; leaves $T/a.folded and $T/a.err
record_busy() {
	rm -f "$T/a.folded"
	kill -CONT $roots $nobodys
	record_longer a "$@"
	kill -STOP $roots $nobodys
}

# record_with LIST CODE ARG…: records with these capabilities and checks the exit code
record_with() {
	rights=$1 code=$2
	shift 2
	longer=$decided_seconds
	record_busy "$@"
	check_eq "$rights: exit code of $*" "$code" "$status"
	[ "$status" = "$code" ] || note "$T/a.err"
}

# preflight LIST CODE ARG…: runs --check with these capabilities; leaves out
preflight() {
	rights=$1 code=$2
	shift 2
	as "$rights" ./sample-bt --check --engine bpf "$@" >out && status=0 || status=$?
	check_eq "$rights: exit code of --check $*" "$code" "$status"
}

# whole NAME LIST ARG…: checks that stacks recorded with these capabilities begin where they should
whole() {
	whole_name=$1
	rights=$2
	shift 2
	until_decided "$whole_name" "$T/a.folded" '^_*start.*' record_busy "$@"
	check_eq "$rights: exit code of $*" 0 "$status"
	note a.err
}

nice -n -10 dd if=/dev/zero of=/dev/null bs=64k 2>/dev/null &
roots=$!
cp "$(command -v dd)" mine
nice -n -10 setpriv --reuid nobody --regid nogroup --clear-groups ./mine if=/dev/zero of=/dev/null bs=64k 2>/dev/null &
nobodys=$!
at_end 'kill -KILL $roots $nobodys 2>/dev/null'
await_start $roots
await_start $nobodys
kill -STOP $roots $nobodys

enough=bpf,perfmon,sys_ptrace,syslog
whole "root's process" $enough -p $roots
check "root's process: the kernel's names" grep -q 'ksys_read_\[k\]' a.folded
check_eq 'the files are its own' 'nobody 600' "$(stat -c '%U %a' a.folded)"
preflight $enough 0
check 'enough: found' grep -q '^found  *bpf rights .*CAP_BPF and CAP_PERFMON' out
check 'enough: what it does not reach' grep -q '^degraded  *program files .*deleted files (CAP_CHECKPOINT_RESTORE)' out

record_with perfmon,sys_ptrace,syslog 2 -p $roots
check 'without CAP_BPF: what for' grep -q 'bpf rights: no CAP_BPF, to load programs' a.err
record_with bpf,sys_ptrace,syslog 2 -p $roots
check 'without CAP_PERFMON: what for' grep -q 'bpf rights: no CAP_PERFMON, to read stacks' a.err

whole 'without CAP_SYS_PTRACE: its own process' bpf,perfmon,syslog -p $nobodys
preflight bpf,perfmon,syslog 0
check 'without CAP_SYS_PTRACE: what it costs' grep -q "^degraded  *program files .*files of other users' processes (CAP_SYS_PTRACE)" out
if as bpf,perfmon cat /proc/$roots/maps >/dev/null 2>&1; then
	skip "without CAP_SYS_PTRACE: root's process" 'this kernel shows its mappings to CAP_PERFMON'
else
	record_with bpf,perfmon,syslog 2 -p $roots
	check "without CAP_SYS_PTRACE: root's process" grep -q "another user's" a.err
fi

no_root=-sys_ptrace,-sys_admin,-perfmon,-checkpoint_restore
setpriv --bounding-set=$no_root --inh-caps=$no_root ./sample-bt --engine bpf -p $nobodys -t 1 >out 2>err && status=0 || status=$?
check_eq 'root without rights: exit code' 2 "$status"
check 'root without rights: it is not told to be root' grep -q 'even root may not read it here' err

preflight bpf,perfmon 0
if grep -q '^found  *kernel names .*is asked' out; then
	record_with bpf,perfmon 0 -p $nobodys --min-quality 1
	check 'without CAP_SYSLOG: the kernel tells the names' grep -q ksys_read a.folded
elif as bpf,perfmon cat /proc/kallsyms | head -n 1 | grep -q '^00* '; then
	check 'without CAP_SYSLOG: what it costs' grep -q "^degraded  *kernel names .*CAP_SYSLOG: kernel frames have no names" out
	record_with bpf,perfmon 0 -p $nobodys --min-quality 1
	check 'without CAP_SYSLOG: it is said' grep -q 'kernel frames have no names: .*CAP_SYSLOG' a.err
	check 'without CAP_SYSLOG: no names' sh -c '! grep -q ksys_read a.folded'
else
	skip 'without CAP_SYSLOG' 'kernel.kptr_restrict is 0 and kernel.perf_event_paranoid below 2: everybody sees the addresses'
fi

rm mine
whole 'without CAP_CHECKPOINT_RESTORE: a deleted program' bpf,perfmon -p $nobodys -u --min-quality 1

record_with '' 2 -p $nobodys
check 'without any' grep -q 'no CAP_BPF, to load programs; no CAP_PERFMON, .*run sample-bt with sudo' a.err
as '' env PATH=/nowhere ./sample-bt -q -p $nobodys -t 1 >out 2>err && status=0 || status=$?
check_eq 'no engine: exit code' 2 "$status"
check_eq 'no engine: nothing of SystemTap, which lacks more' '' "$(grep ': SystemTap: ' err)"
check_eq 'no engine: none is said to record' '' "$(as '' env PATH=/nowhere ./sample-bt -p $nobodys -t 1 2>&1 | grep records)"
check "no engine: the built-in engine's reason" grep -q ': the built-in engine: bpf rights: ' err
as '' env PATH=/nowhere ./sample-bt --check >out && status=0 || status=$?
check_eq 'no engine: exit code of --check' 2 "$status"
check 'no engine: so says --check' grep -q '^no engine would record$' out
as $enough env PATH=/nowhere ./sample-bt --check --json >out && status=0 || status=$?
check_eq 'one engine: exit code of --check' 0 "$status"
check 'one engine: json' python3 -c '
import json
d = json.load(open("out"))
assert d["works"] and d["engine"] == "bpf"
assert {c["engine"] for c in d["checks"]} == {"stap", "bpf"}'

preflight sys_admin 0
check 'CAP_SYS_ADMIN is enough' grep -q '^found  *bpf rights .*CAP_SYS_ADMIN' out
setpriv --bounding-set=-bpf,-perfmon,-sys_admin --inh-caps=-bpf,-perfmon,-sys_admin ./sample-bt --check --engine bpf >out && status=0 || status=$?
check_eq 'root of a container: exit code' 2 "$status"
check 'root of a container: what to do' grep -q '^missing  *bpf rights .*give the container that capability' out

# the recorded command does not get the rights
as $enough ./sample-bt --engine bpf -o a.folded --min-quality 1 -- grep -E '^Cap(Prm|Amb)' /proc/self/status >out 2>err || :
check_eq 'a command has none of them' 2 "$(grep -c ':	0000000000000000$' out)"

# a container's filter, with which bpf(2) fails with EPERM for every user
filtered() {
	perl -e '
		my $filter = pack("SCCL" x 4, 0x20, 0, 0, 0,  0x15, 0, 1, shift,  0x06, 0, 0, 0x50001,  0x06, 0, 0, 0x7fff0000);
		my $program = pack("Sx6P", 4, $filter);
		syscall(157, 22, 2, $program) == 0 or die "prctl: $!";
		exec @ARGV' "$@"
}
filtered 321 ./sample-bt --check --engine bpf >out && status=0 || status=$?
check_eq 'seccomp: exit code' 2 "$status"
check 'seccomp: bpf' grep -q '^missing  *bpf rights .*seccomp.* bpf(2)' out
filtered 298 ./sample-bt --check --engine bpf >out || :
check 'seccomp: perf_event_open' grep -q '^missing  *perf timer .*seccomp.* perf_event_open(2)' out
