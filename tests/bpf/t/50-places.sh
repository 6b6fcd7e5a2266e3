#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# 50-places: programs that are not where one looks: in other namespaces, deleted, replaced, among thousands of mappings; several recordings
# at once; what may be recorded, and by whom.
set -eu
. "$TOP/tests/lib.sh"
. "$TOP/tests/bpf/lib.sh"

plain='main;one;two;three;spin'

# whole NAME ERE [MIN_PERCENT]: the recording of that name
whole() {
	expect_stack "$T/$1.folded" "$2" "${3:-95}" "$1"
	expect_account "$1: the account" "$1" 99
}

# a container: its own processes, mounts and root; its files are on a file system that is mounted there only
mkdir "$T/root"
# shellcheck disable=SC2016
unshare -pfm sh -c '
	mount --make-rprivate / && mount -t tmpfs none "$1" && mkdir -p "$1/opt" && cp "$2" "$1/opt/renamed" || exit 2
	for lib in $(ldd "$2" | grep -o "/[^ ]*"); do
		mkdir -p "$1${lib%/*}" && cp -L "$lib" "$1$lib" || exit 2
	done
	exec chroot "$1" /opt/renamed 600' sh "$T/root" "$CASES/plain" >"$T/target.out" 2>&1 &
namespace=$!
if until_true 30 grep -q spinning "$T/target.out"; then
	target=$(pgrep -P $namespace)
	record_for container 0.5 -p "$target" -u
	whole container "$plain"
	kill "$target"
else
	skip container "unshare: $(tail -n 1 "$T/target.out")"
	kill $namespace 2>/dev/null || :
fi
wait $namespace 2>/dev/null || :

cp "$CASES/plain" "$T/gone"
start "$T/gone" 600
rm "$T/gone"
record_for 'deleted program' 0.5 -p "$target" -u
finish
whole 'deleted program' "$plain"

cp "$CASES/plain" "$T/replaced"
start "$T/replaced" 600
rm "$T/replaced"
cp "$CASES/tail" "$T/replaced"
record_for 'replaced program' 0.5 -p "$target" -u
finish
whole 'replaced program' "$plain"

cp "$CASES/libtiny.so" "$CASES/plt" "$T"
start env LD_LIBRARY_PATH="$T" LD_PRELOAD="$T/libtiny.so" "$CASES/plt" 600
rm "$T/libtiny.so"
record_for 'deleted library' 0.5 -p "$target" -u
finish
whole 'deleted library' 'main;calls(;(tiny(@plt)?|\[[^;]*\])){0,2}'

start "$CASES/memfd" 600 "$CASES/plain"
record_for 'program in memory' 0.5 -p "$target" -u
finish
whole 'program in memory' "$plain"

# /proc/PID/maps of such a process is empty
start "$CASES/leaderless" 600
record_for 'first thread ended' 0.5 -p "$target" -u
finish
whole 'first thread ended' 'thread;spin'

start "$CASES/maps" 600 3000
record_for '3000 mappings' 0.5 -p "$target" -u
finish
whole '3000 mappings' 'main;among;spin'

# two recordings of one target; they are of the same kind, so neither takes from the other
start "$CASES/plain" 600
{
	record_for first 1.5 -p "$target" -u
	echo "$status" >"$T/first.status"
} &
first=$!
record_for second 1.5 -p "$target" -u
wait $first
whole second "$plain"
read -r status <"$T/first.status"
whole first "$plain"

# by thread, by two processes, of everything
one=$target
record_for 'one thread' 1 --tid "$one" -u
whole 'one thread' "$plain"
nice -n -10 "$CASES/recurse" 600 30 >"$T/other.out" &
other=$!
until_true 60 grep -q spinning "$T/other.out"
record_for 'two processes' 1.5 -p "$one,$other" -u
# the names of the threads are their roots
check 'two processes: one' test "$(weight "$T/two processes.folded" "^plain[^;]*;_start;.*;$plain\$")" -gt 20
check 'two processes: the other' test "$(weight "$T/two processes.folded" '^recurse[^;]*;_start;.*;main(;down){30};spin$')" -gt 20
expect_account 'two processes: the account' 'two processes' 99
record_for everything 1.5 -a -u
check 'everything: one' test "$(weight "$T/everything.folded" "^plain[^;]*;_start;.*;$plain\$")" -gt 20
check 'everything: the other' test "$(weight "$T/everything.folded" '^recurse[^;]*;_start;.*;main(;down){30};spin$')" -gt 20
expect_account 'everything: the account' everything 0
# busy: the machine was, and the stack says so
grep -aE '^(plain|recurse)[^;]*;\[' "$T/everything.folded" | note
few 'everything: those of both that are not whole' \
	"$(grep -av ';\[truncated: busy\];' "$T/everything.folded" | weight - '^(plain|recurse)[^;]*;\[')" \
	"$(weight "$T/everything.folded" '^(plain|recurse)')"
kill $other
wait $other 2>/dev/null || :
finish

# the kernel
dd if=/dev/zero of=/dev/null bs=1M count=10000000 2>/dev/null &
target=$!
record_for kernel 0.5 -p $target -k
check 'kernel: its frames alone' test "$(weight "$T/kernel.folded" ';?[^;]*_\[k\]')" -gt 50
check_eq 'kernel: none of the user' 0 "$(grep -avcE '^([^;]*_\[k\];)*[^;]*_\[k\] [0-9]+$' "$T/kernel.folded" || :)"
record_for both 0.5 -p $target
finish
check 'both: the kernel on top of the user' test "$(weight "$T/both.folded" '^_start;.*;[^;]*read[^;]*;[^;]*_\[k\];.*_\[k\]$')" -gt 20
expect_account 'both: the account' both 99

# nobody to record
"$BIN" --engine bpf -p 4194303 -u -t 1 >"$T/out" 2>"$T/err" && status=0 || status=$?
check_eq 'no such process: exit code' 2 "$status"
check 'no such process: named' grep -q 4194303 "$T/err"

# by whom: nobody reads $T nor, maybe, the tree
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
as_nobody --inh-caps $rights --ambient-caps $rights "$T/sample-bt" --engine bpf --min-quality 0.5 -p "$target" -u -t 1 >"$T/out" 2>"$T/rights.err" &&
	status=0 || status=$?
check_eq 'capabilities alone: exit code' 0 "$status"
check 'capabilities alone: whole' at_least "$(account whole rights)" 99
check 'capabilities alone: samples' test "$(account kept rights)" -ge 50
note "$T/rights.err"
finish

# kill -9 leaves nothing
objects_before
start "$CASES/plain" 600
"$BIN" --engine bpf -v -p "$target" -u -t 60 -o "$T/killed.rec" >"$T/out" 2>"$T/killed.err" &
recording=$!
until_true 60 begun killed || :
check 'kill -9: there was something to leave' sh -c "\"\$CASES/probe\" list | sort | comm -13 \"$T/objects\" - | grep -q prog"
kill -KILL $recording
wait $recording 2>/dev/null || :
if until_true 15 no_objects_left; then ok 'kill -9: nothing stays'; else not_ok 'kill -9: nothing stays' "$(objects_left | tr '\n' ' ')"; fi
check 'kill -9: the target goes on' kill -0 "$target"
finish
