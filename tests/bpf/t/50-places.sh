#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# 50-places: programs in unusual places: in other namespaces, deleted, replaced, among thousands of mappings; several recordings at once;
# which processes may be recorded by which user.
set -eu
. "$TOP/tests/lib.sh"
. "$TOP/tests/bpf/lib.sh"

plain='main;one;two;three;spin'

# a container with its own processes, mounts and root; its files are on a file system that is mounted there only
mkdir "$T/root"
# shellcheck disable=SC2016
unshare -pfm sh -c '
	mount --make-rprivate / && mount -t tmpfs none "$1" && mkdir -p "$1/opt" && cp "$2" "$1/opt/renamed" || exit 2
	for lib in $(ldd "$2" | grep -o "/[^ ]*"); do
		mkdir -p "$1${lib%/*}" && cp -L "$lib" "$1$lib" || exit 2
	done
	exec chroot "$1" /opt/renamed 600' sh "$T/root" "$CASES/plain" >"$T/target.out" 2>&1 &
namespace=$!
if until_true grep -q spinning "$T/target.out"; then
	target=$(pgrep -P $namespace)
	record_until_decided container "$plain" -p "$target" -u
	kill "$target"
else
	skip container "unshare: $(tail -n 1 "$T/target.out")"
	kill $namespace 2>/dev/null || :
fi
wait $namespace 2>/dev/null || :

cp "$CASES/plain" "$T/gone"
start "$T/gone" 600
rm "$T/gone"
record_until_decided 'deleted program' "$plain" -p "$target" -u
finish

cp "$CASES/plain" "$T/replaced"
start "$T/replaced" 600
rm "$T/replaced"
cp "$CASES/tail" "$T/replaced"
record_until_decided 'replaced program' "$plain" -p "$target" -u
finish

cp "$CASES/libtiny.so" "$CASES/plt" "$T"
start env LD_LIBRARY_PATH="$T" LD_PRELOAD="$T/libtiny.so" "$CASES/plt" 600
rm "$T/libtiny.so"
record_until_decided 'deleted library' 'main;calls(;(tiny(@plt)?|\[[^;]*\])){0,2}' -p "$target" -u
finish

start "$CASES/memfd" 600 "$CASES/plain"
record_until_decided 'program in memory' "$plain" -p "$target" -u
finish

# /proc/PID/maps of such a process is empty
start "$CASES/leaderless" 600
record_until_decided 'first thread ended' 'thread;spin' -p "$target" -u
finish

start "$CASES/maps" 600 3000
record_until_decided '3000 mappings' 'main;among;spin' -p "$target" -u
finish

# two recordings of one target; they are of the same kind, so neither takes samples from the other
start "$CASES/plain" 600
record_until_decided first "$plain" -p "$target" -u >"$T/first.tap" &
first=$!
record_until_decided second "$plain" -p "$target" -u
wait $first || :
cat "$T/first.tap"

# one thread; two processes; everything
one=$target
record_until_decided 'one thread' "$plain" --tid "$one" -u
cp "$CASES/recurse" "$T/thirty" # under a name of its own: other tests may run deeper ones at the same time
nice -n -10 "$T/thirty" 600 30 >"$T/other.out" &
other=$!
until_true grep -q spinning "$T/other.out"
# the names of the threads are the root frames
for name in plain thirty; do
	only="^$name[^;]*;(_|\\[(broken|truncated: [^b]))" # [truncated: busy] is left out: the machine was busy
	roots="$name[^;]*;"
	case $name in plain) ere=$plain ;; *) ere='main(;down){30};spin' ;; esac
	record_until_decided "two processes: $name" "$ere" -p "$one,$other" -u
	record_until_decided "everything: $name" "$ere" -a -u
done
only='' roots=''
kill $other
wait $other 2>/dev/null || :
finish

# the kernel
dd if=/dev/zero of=/dev/null bs=1M count=10000000 2>/dev/null &
target=$!
record_until_seen kernel ';?[^;]*_\[k\]' -p $target -k
check_eq 'kernel: none of the user' 0 "$(grep -avcE '^([^;]*_\[k\];)*[^;]*_\[k\] [0-9]+$' "$T/kernel.folded" || :)"
record_until_seen 'both: the kernel on top of the user' '^_start;.*;[^;]*read[^;]*;[^;]*_\[k\];.*_\[k\] ' -p $target
finish

# no process to record
"$BIN" --engine bpf -p 4194303 -u -t 1 >"$T/out" 2>"$T/err" && status=0 || status=$?
check_eq 'no such process: exit code' 2 "$status"
check 'no such process: named' grep -q 4194303 "$T/err"

# who may record: other users cannot read $T, nor perhaps the tree
chmod 711 "$T_top" "$T"
cp "$BIN" "$CASES/plain" "$T/"
chmod 755 "$T/sample-bt" "$T/plain"
start "$T/plain" 600
as_nobody() {
	setpriv --reuid nobody --clear-groups "$@"
}
as_nobody "$T/sample-bt" --engine bpf -p "$target" -u -t 1 >"$T/out" 2>"$T/err" && status=0 || status=$?
check_eq 'without rights: exit code' 2 "$status"
check 'without rights: says which' grep -qiE 'CAP_|root' "$T/err"
check 'without rights: one line says it' test "$(grep -c '^sample-bt: ' "$T/err")" = 1
note "$T/err"
rights=+bpf,+perfmon,+sys_ptrace,+syslog
mkdir -m 777 "$T/home"
with_rights() {
	as_nobody --inh-caps $rights --ambient-caps $rights "$T/sample-bt" --engine bpf --min-quality 1 -p "$target" -u -t 0.5 \
		-o "$T/home/a.folded" >"$T/out" 2>"$T/err" && status=0 || status=$?
}
until_decided 'capabilities alone' "$T/home/a.folded" "$plain" with_rights
check_eq 'capabilities alone: exit code' 0 "$status"
note "$T/err"
finish

# kill -9 leaves no BPF objects
objects_before
start "$CASES/plain" 600
"$BIN" --engine bpf -v -p "$target" -u -t 60 -o "$T/killed.rec" >"$T/out" 2>"$T/killed.err" &
recording=$!
until_true begun killed || :
check 'kill -9: there was something to leave' sh -c "\"\$TOP/build/probe\" list | sort | comm -13 \"$T/objects\" - | grep -q prog"
kill -KILL $recording
wait $recording 2>/dev/null || :
if until_true no_objects_left; then ok 'kill -9: nothing stays'; else not_ok 'kill -9: nothing stays' "$(objects_left | tr '\n' ' ')"; fi
check 'kill -9: the target goes on' kill -0 "$target"
finish
