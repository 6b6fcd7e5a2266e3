#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# 48-java-names: a JVM is asked for the names of its compiled code, as its user and in its namespaces, and no file of that is left.
set -eu
. "$TOP/tests/lib.sh"
. "$TOP/tests/bpf/lib.sh"
asks_jvms

if ! command -v java >/dev/null || ! command -v javac >/dev/null; then
	skip 'java-names' 'no java or javac'
	exit 0
fi
cat >"$T/Work.java" <<'END'
public class Work {
	static volatile long sink;
	static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
	public static void main(String[] args) {
		long end = args.length > 0 ? System.nanoTime() + Long.parseLong(args[0]) * 1000000000L : Long.MAX_VALUE;
		for (long i = 0; System.nanoTime() < end; i++) {
			sink += fib(24);
			if (i == 20) System.out.println("spinning");
		}
	}
}
END
if ! javac -d "$T" "$T/Work.java" >"$T/javac" 2>&1; then
	not_ok 'java-names: the program compiles' "$(cat "$T/javac")"
	exit 0
fi
target=
at_end 'kill -9 $target 2>/dev/null'
chmod 755 "$T" "${T%/*}"
java="java -XX:+UseSerialGC -cp $T:/tmp"

named() {
	grep -q 'Work.fib' "$T/$1.folded"
}

# left PID: prints the files through which a JVM was asked, except for the socket, which belongs to the JVM
left() {
	ls -A /tmp | grep -E "^(\\.attach_pid|perf-)$1(\\.|$)" || :
}

# expect_names NAME ARG…: records $target; checks that its methods have names and that no file is left
expect_names() {
	names_of=$1
	shift
	record_until_seen "$names_of" Work.fib -u "$@"
	note "$T/$names_of.err"
	goes_on "$names_of"
}

goes_on() {
	check "$1: nothing is left" until_true nothing_left
	check "$1: it goes on" kill -0 "$target"
}

nothing_left() {
	[ -z "$(left "$target")" ]
}

# shellcheck disable=SC2086 # words
start $java Work
record no-jvm -u -t 2 --no-jvm -p "$target"
check_eq 'no-jvm: names' no "$(named no-jvm && echo yes || echo no)"
goes_on no-jvm
check_eq 'no-jvm: it is not asked' no "$([ -e "/tmp/.java_pid$target" ] && echo yes || echo no)"
expect_names 'java' -p "$target"
check_eq 'java: it prints nothing' spinning "$(cat "$T/target.out")"
expect_names 'all' -a

# a map file that exists already belongs to the JVM
echo '0 1 nothing' >"/tmp/perf-$target.map"
record 'its own map' -u -t 1 -p "$target"
check_eq 'its own map: as it was' '0 1 nothing' "$(cat "/tmp/perf-$target.map")"
chown nobody "/tmp/perf-$target.map"
record 'a map of others' -u -t 2 -p "$target"
check_eq 'a map of others: as it was' '0 1 nothing' "$(cat "/tmp/perf-$target.map")"
check 'a map of others: why' grep -q "process $target has no names: in its /tmp is a file perf-PID.map" "$T/a map of others.err"
rm "/tmp/perf-$target.map"
finish

# shellcheck disable=SC2086 # words
start $java -XX:+DisableAttachMechanism Work
record 'refused' -u -t 2 -p "$target"
check 'refused: it says why' grep -q "process $target has no names: the JVM takes no requests" "$T/refused.err"
check_eq 'refused: it prints nothing' spinning "$(cat "$T/target.out")"
finish

# another user, mount namespace and /tmp
mkdir -m 1777 "$T/its-tmp"
cp "$T/Work.class" "$T/its-tmp"
# shellcheck disable=SC2086 # words
start unshare -m sh -c "mount --bind '$T/its-tmp' /tmp && cd / && exec setpriv --reuid 65534 --regid 65534 --clear-groups $java Work"
expect_names 'another user and folder' -p "$target"
check_eq 'another user and folder: files' '' "$(ls -A "$T/its-tmp" | grep -v '^\.java_pid\|^hsperfdata\|^Work' || :)"
check_eq 'another user and folder: whose socket' 65534 "$(stat -c %u "$T/its-tmp/.java_pid$target")"
finish

# another PID namespace; unshare waits for its child
# shellcheck disable=SC2086 # words
start unshare -pfm --kill-child --mount-proc sh -c "mount --bind '$T/its-tmp' /tmp && exec $java Work"
parent=$target
target=$(pgrep -P "$parent")
expect_names 'another PID namespace' -p "$target"
check_eq 'another PID namespace: files' '' "$(ls -A "$T/its-tmp" | grep -v '^\.java_pid\|^hsperfdata\|^Work' || :)"
kill -9 "$target"
wait "$parent" || :
target=

# several JVMs at a time
several=''
for _ in 1 2 3; do
	# shellcheck disable=SC2086 # words
	start $java Work
	several="$several $target"
done
at_end 'kill -9 $several 2>/dev/null'

# all_asked: checks that all of them have been asked
all_asked() {
	for pid in $several; do
		[ -S "/tmp/.java_pid$pid" ] || return 1
	done
}

longer=1
several_asked() {
	record_longer 'several' -a -u
	all_asked
}
check 'several: all are asked' until_true several_asked
for target in $several; do
	check 'several: nothing is left' until_true nothing_left
	finish
done

# a command that ends by itself is asked before its end
decided_seconds=''
# shellcheck disable=SC2086 # words
record_until_seen 'command: names' Work.fib -u -- $java Work 3
record_until_seen 'command that dumps: names' Work.fib -u -- \
	sh -c "echo \$\$ >'$T/dumps'; exec $java -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit Work 1"
rm -f "/tmp/perf-$(cat "$T/dumps").map"
