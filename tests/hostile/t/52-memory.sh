#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# memory: under a memory limit the recorder uses less memory; if the limit is reached nevertheless, the samples so far are kept.
set -eu
. "$TOP/tests/hostile/lib.sh"

MIB=1048576
"$CASES/stacks" 600 &
target=$!
group=

# leave: removes the cgroup when its last process has ended
leave() {
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		[ -n "$group" ] && ! rmdir "$group" 2>/dev/null || return 0
		sleep 0.2
	done
}
at_end 'kill $target 2>/dev/null; leave'

# recorded NAME: checks that the recording is complete, with samples
recorded() {
	check "$1: exit code" test "$status" -le 1
	[ "$status" -le 1 ] || note "$T/err"
	check "$1: the recording is whole" grep -q '^end ' "$T/a.rec"
	check "$1: it has rows" grep -q '^row ' "$T/a.rec"
}

for limit in --as --data; do
	rm -f "$T/a.rec"
	bounded prlimit "$limit=$((64 * MIB)):" "$BIN" --engine bpf --min-quality 0 $no_jvm -a -u -t 2 -o "$T/a.rec" 2>"$T/err"
	recorded "$limit, 64 MiB"
done

# The tables of the BPF programs have shares of the limit. The kernel tells the bytes of each.
prlimit --as=$((64 * MIB)): "$BIN" --engine bpf --min-quality 0 -v -u -p "$target" -o "$T/a.rec" 2>"$T/err" &
recording=$!
until_true grep -q 'the probes are in place' "$T/err" || note "$T/err"
cat /proc/$recording/fdinfo/* >"$T/maps"
kill -INT $recording
wait $recording || :
largest=$(awk '/^map_type/ { is_hash = $2 == 1 } /^memlock/ && is_hash && $2 > max { max = $2 } END { print max + 0 }' "$T/maps")
check "64 MiB: the largest hash table, of $largest bytes, has at most a 24th" test "$largest" -gt 0 -a "$largest" -le $((64 * MIB / 24))

# limit_reached: resolving may reach the limit, too: then the recording is saved elsewhere. It is for check-all, because what is under way
# when the memory is used up is different each time.
limit_reached() {
	mkdir "$T/kept"
	rm -f "$T/a.rec"
	TMPDIR=$T/kept bounded prlimit --as=$((48 * MIB)): "$BIN" --engine bpf --min-quality 0 -F 9999 -u -p "$target" -t 45 -o "$T/a.rec" 2>"$T/err"
	note "$T/err"
	check 'a limit that is reached: it ends early, with 1 or 2' test "$status" = 1 -o "$status" = 2
	check 'it is said' grep -q 'memory limit of 48 MiB was reached' "$T/err"
	check 'a whole recording is kept' sh -c "cat '$T/a.rec' '$T'/kept/*.rec 2>/dev/null | grep -q '^end '"
}
[ -z "${CHECK_ALL-}" ] || limit_reached

bounded prlimit --as=$((20 * MIB)): "$BIN" --engine bpf -u -t 1 -o "$T/b.rec" -- sleep 1 2>"$T/err"
check_eq 'a limit that is too low: exit code' 2 "$status"
check 'a limit that is too low: it is said' grep -q 'allow at least 64 MiB' "$T/err"
check_eq 'a limit that is too low: no bug' '' "$(grep 'report it' "$T/err" || :)"
check 'no process is missing' sh -c "! grep -q 'no process' '$T/err'"
note "$T/err"

for parent in /sys/fs/cgroup /sys/fs/cgroup/memory; do
	mkdir "$parent/flametap-test-$$" 2>/dev/null || continue
	group=$parent/flametap-test-$$
	for file in memory.max memory.limit_in_bytes; do
		[ ! -e "$group/$file" ] || break
	done
	[ ! -e "$group/$file" ] || break
	rmdir "$group"
	group=
done
if [ -z "$group" ]; then
	skip memory 'no cgroup can be made here'
	exit 0
fi
echo $((64 * MIB)) >"$group/$file"

# limited NAME OPTION...: records in the cgroup
limited() {
	name=$1
	shift
	rm -f "$T/a.rec"
	bounded sh -c 'echo $$ >"$0" && exec "$@"' "$group/cgroup.procs" "$BIN" --engine bpf --min-quality 0 -u -t 2 -o "$T/a.rec" "$@" 2>"$T/err"
	recorded "$name"
}
limited 'a cgroup with 64 MiB: all processes' $no_jvm -a
# All processes of a busy machine may need more than that, one does not.
limited 'a cgroup with 64 MiB: one process' -p "$target"
check_eq 'a cgroup with 64 MiB: one process: all of it' '' "$(grep 'was reached' "$T/err" || :)"
