#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# namespaces: the target is in mount and PID namespaces of its own, with a /proc that lies. Its library is at a path at which the recorder
# sees another file, or which was covered by another file later. Names come from the library that the target runs, or there are no names.
set -eu
. "$TOP/tests/hostile/lib.sh"

let_nobody_record
cp "$CASES/loaded" "$T/"
mkdir "$T/here" "$T/real" "$T/covered" "$T/proc" "$T/files" "$T/empty" "$T/merged"
target='' server=''
at_end 'kill $target $server 2>/dev/null; umount -l "$T/files" 2>/dev/null'

# library WHERE: compiles $T/WHERE/library.so, which spins in in_WHERE
library() {
	cat >"$T/$1.c" <<C
void spin(void);
static volatile unsigned long spins;
__attribute__((noinline)) static void in_$1(void) { for (int i = 0; i < 1000000; i++) spins++; }
void spin(void) { for (;;) in_$1(); }
C
	fresh_program "$T/$1/library.so" "$T/$1.c" -shared -fPIC
}

library here
library real
library covered
# forged entries, which a reader of the target's own /proc would believe
for pid in self 1 2 3 4; do
	mkdir "$T/proc/$pid"
	ln -s /etc/shadow "$T/proc/$pid/exe"
	echo "00400000-7fffffffffff r-xp 00000000 00:00 1 $T/here/library.so" >"$T/proc/$pid/maps"
done

# start_inside COVER: starts the target as nobody, in namespaces in which COVER is executed while it runs
start_inside() {
	cat >"$T/start" <<SH
mount --bind "$T/real" "$T/here" && mount --bind "$T/proc" /proc || exit
setpriv --reuid nobody --regid nogroup --clear-groups "$T/loaded" "$T/here/library.so" >"$T/out" 2>&1 &
until grep -qs . "$T/out"; do sleep 0.1; done
$1
echo ready >>"$T/out"
wait
SH
	: >"$T/out"
	unshare --mount --pid --fork --kill-child sh "$T/start" &
	unshared=$!
	until_true grep -q ready "$T/out" || note "$T/out"
	target=$(pgrep -P "$(pgrep -P $unshared)" loaded)
}

stop() {
	kill "$target" 2>/dev/null || :
	wait || :
	target=''
}

# recorded NAME NAMES: checks the target's stacks; NAMES tells whether they have names: always or maybe
recorded() {
	case $2 in
	always) record_until_decided "$1" 'main;spin(;in_real)?' -u -p "$target" ;;
	maybe) record_until_seen "$1" . -u -p "$target" ;;
	esac
	check_eq "$1: exit code" 0 "$status"
	for where in here covered; do
		check_eq "$1: names of the library in '$where'" 0 "$(weight "$T/$1.folded" "in_$where")"
	done
}

# recorded_as_nobody NAME NAMES: the same for a recorder that runs as nobody
recorded_as_nobody() (
	recorder() {
		record_as_nobody +bpf,+perfmon,+sys_ptrace "$@"
	}
	recorded "$@"
)

start_inside :
recorded root always
recorded_as_nobody user always
stop
# only root may open a mapped file through its mapping
start_inside "mount --bind '$T/covered' '$T/here'"
recorded covered-root always
recorded_as_nobody covered-user maybe
stop

# An overlay in a user namespace: closing one of its files may wait for the FUSE server below it.
: >"$T/out"
"$CASES/fuse" "$T/files" flush >"$T/out" 2>&1 &
server=$!
until_true grep -q . "$T/out" || :
cat >"$T/start" <<SH
mount -t overlay -o "lowerdir=$T/files:$T/empty" overlay "$T/merged" || exit
exec "$T/merged/program" 1
SH
unshare --user --map-root-user --mount sh "$T/start" >"$T/overlay" 2>&1 &
target=$!
executes_program() {
	[ "$(readlink /proc/$target/exe)" = "$T/merged/program" ] || ! kill -0 $target
}
until_true executes_program || :
if ! kill -0 $target 2>/dev/null || ! executes_program; then
	skip overlay "no overlay over FUSE in a user namespace: $(tail -n 1 "$T/overlay")"
	exit 0
fi
expect_record overlay 0 -u -p $target -t 1
expect_samples overlay
