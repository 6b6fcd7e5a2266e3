#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# jvm: processes that pretend to be a JVM cannot make the recorder wait, nor make it signal, connect to or write to a wrong place.
set -eu
. "$TOP/tests/hostile/lib.sh"
asks_jvms

targets='' other=''
at_end 'finish'
mkdir "$T/bin"
chmod 755 "$T" "$T/bin"
cp "$CASES/jvm" "$T/bin/libjvm.so"

finish() {
	# shellcheck disable=SC2086 # none, or some
	kill $targets $other 2>/dev/null || :
	for target in $targets; do
		rm -f "/tmp/.java_pid$target" "/tmp/perf-$target.map" "/tmp/other-$target"
	done
	targets=''
}

# pretend MODE: starts a pretended JVM as nobody, $target
pretend() {
	: >"$T/$1"
	as_nobody "$T/bin/libjvm.so" "$1" >"$T/$1" &
	target=$!
	targets="$targets${targets:+ }$target"
	until_true grep -q spinning "$T/$1"
}

# nothing_left: checks that the files through which the JVMs were asked are gone, at the latest some time after a silent JVM was given up
nothing_left() {
	for target in $targets; do
		[ ! -e "/tmp/.attach_pid$target" ] && [ ! -e "/tmp/perf-$target.map" ] || return 1
	done
}

# ends NAME [ARG…]: checks that the recording of the targets ends, and that /tmp has no files but the targets' own
ends() {
	name=$1
	shift
	recorder -u -p "$(echo "$targets" | tr ' ' ,)" -t 1 -o "$T/a.folded" "$@" 2>"$T/err" || not_ok "$name: exit code" "$(cat "$T/err")"
	check "$name: nothing is left" until_true nothing_left
}

modes='default silent mute endless old file huge link'
for mode in $modes; do
	pretend "$mode"
done
python3 -c '
import socket, sys, time
s = socket.socket(socket.AF_UNIX)
s.bind(sys.argv[1])
s.listen(8)
s.settimeout(60)
s.accept()
print("connected", flush=True)' "/tmp/other-$target" >"$T/other" 2>/dev/null &
other=$!
until_true test -e "/tmp/other-$target"
ends all
# shellcheck disable=SC2086 # one of each mode
set -- $targets
for mode in $modes; do
	check "$mode: it survives" kill -0 "$1"
	shift
done
check_eq 'why: old, silent and mute, default, the others' 'it is older than Java 17
and 1 others the JVM did not answer
the JVM takes no requests
and 2 others the JVM wrote no map' "$(sed -nE 's/.* of process [0-9]+ (.*)has no names: ([^:]*).*/\1\2/p' "$T/err")"
note "$T/err"
check_eq 'silent: one signal at a time' 1 "$(grep -c SIGQUIT "$T/silent")"
check_eq 'link: nobody else is asked' '' "$(cat "$T/other")"
finish

pretend silent
ends --no-jvm --no-jvm
check '--no-jvm: it survives' kill -0 "$target"
check_eq '--no-jvm: no signal' 0 "$(grep -c SIGQUIT "$T/silent")"
