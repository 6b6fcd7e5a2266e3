#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# namespaces: the built-in engine where PIDs are not the kernel's: inside a PID namespace that has others below it.
set -eu
. "$TOP/tests/lib.sh"
. "$TOP/tests/record.sh"

if ! unshare -pf --mount-proc true 2>"$T/err"; then
	skip namespaces "cannot make a pid namespace: $(head -n 1 "$T/err")"
	exit 0
fi
cd "$T"

# inside SCRIPT: runs SCRIPT in a new PID namespace with its own /proc; burning: waits until the program burn works
inside() {
	rm -f burning
	unshare -pf --mount-proc sh -c "record() { '$BIN' --engine bpf -u --min-quality 1 \"\$@\"; }
		burning() { until [ -e burning ]; do sleep 0.1; done; }; $1"
}

# inside_longer SCRIPT: runs SCRIPT, which records for $t seconds; $t grows with each call
inside_longer() {
	inside "t=$longer; $1"
	twice_as_long
}

# whole NAME FOLDED SCRIPT: checks that the stacks that SCRIPT records inside, as FOLDED, begin with the first function
whole() {
	until_decided "$1" "$2" '^_start.*perl_run.*' inside_longer "$3"
	note err
}

cat >burn <<'EOF'
$SIG{ALRM} = sub { exit }; alarm 120; open my $f, '>', 'burning'; 1 while 1;
EOF

whole 'a process' pid.folded 'perl burn & burning; record -p $! -t $t -o pid.folded -o pid.rec; kill $!'
check 'by its number there' grep -q '^task 0 2 2 ' pid.rec
whole 'a thread' tid.folded 'perl burn & burning; record --tid $! -t $t -o tid.folded; kill $!'

nice -n -10 perl burn &
outside=$!
until_true test -e burning
sees_all() {
	inside 'nice -n -10 perl burn & burning; record -a -t 1 -o all.folded -o all.rec; record -a --idle -k -t 1 -o idle.folded; kill $!' 2>err || note err
	grep -q '^perl;_start.*perl_run' all.folded
}
check 'all: of the namespace' until_true sees_all
kill $outside
check_eq 'all: one perl, not that outside' 1 "$(grep -c '^task .* perl$' all.rec)"
check_eq 'all: idle is idle' '' "$(grep -E '^perl;' idle.folded | grep -o 'swapper' || :)"

inside 'record -o command.folded -o command.rec -- sh -c "perl -e \"1 for 1 .. 2e7\"; :"' 2>err || note err
check 'a command and its child' grep -q 'perl_run' command.folded

# a namespace below ours: its processes have numbers in ours, too
whole 'a process of a namespace below' below.folded \
	'unshare -pf --mount-proc perl burn & burning; record -p "$(pgrep -n perl)" -t $t -o below.folded; kill $!'

unshare -pf "$BIN" --engine bpf -a -t 1 >out 2>err && status=0 || status=$?
check_eq '/proc of another namespace: exit code' 2 "$status"
check '/proc of another namespace: says so' grep -q 'that of another pid namespace' err
unshare -pf "$BIN" --engine bpf --check >out && status=0 || status=$?
check_eq '/proc of another namespace: exit code of --check' 2 "$status"
check '/proc of another namespace: so says --check' grep -q '^missing  *container .*--mount-proc' out
unshare -Ur "$BIN" --engine bpf --check >out 2>err && status=0 || status=$?
if grep -q . out; then
	check_eq 'root of a user namespace: exit code of --check' 2 "$status"
	check 'root of a user namespace: its capabilities do not count' grep -q '^missing  *bpf rights .*user namespace' out
else
	skip 'root of a user namespace' "cannot make one: $(head -n 1 err)"
fi
