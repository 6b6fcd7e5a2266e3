#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# jvm: a process that pretends to be a JVM neither makes the recorder wait, nor has it signal, connect to or write what it should not.
set -eu
. "$TOP/tests/lib.sh"
. "$TOP/tests/hostile/lib.sh"

target='' other=''
at_end 'finish'
mkdir "$T/bin"
chmod 755 "$T" "$T/bin"
cp "$CASES/jvm" "$T/bin/libjvm.so"

finish() {
	# shellcheck disable=SC2086 # none, or one
	kill $target $other 2>/dev/null || :
	rm -f "/tmp/.java_pid$target" "/tmp/perf-$target.map" "/tmp/other-$target"
}

spinning() {
	grep -q spinning "$T/target"
}

# pretend MODE: a process of nobody that does; $target
pretend() {
	: >"$T/target"
	as_nobody "$T/bin/libjvm.so" "$1" >"$T/target" &
	target=$!
	until_true 60 spinning
}

# nothing_left: the files by which it was asked are gone, at the latest some time after a JVM that does not answer was given up
nothing_left() {
	! ls -A /tmp | grep -qE "^(\.attach_pid|perf-)$target"
}

# ends MODE [ARG...]: the recording ends, the process survives, and nothing but what it made is left in /tmp
ends() {
	ends_mode=$1
	shift
	[ "$target" ] || pretend "$ends_mode"
	measured -u -p "$target" -t 1 -o "$T/a.folded" "$@" 2>"$T/err" || not_ok "$ends_mode: exit code" "$(cat "$T/err")"
	check "$ends_mode: it survives" kill -0 "$target"
	check "$ends_mode: nothing is left" until_true 60 nothing_left
	finish
}

# asked MODE REASON: likewise, and the reason why names are missing is said
asked() {
	ends "$1"
	if grep -q "compiled Java code of process $target has no names: .*$2" "$T/err"; then
		ok "$1: why"
	else
		not_ok "$1: why" "not '$2'"
		note "$T/err"
	fi
	target=
}

asked default 'takes no requests'
asked silent 'did not answer'
check_eq 'silent: one signal at a time' 1 "$(grep -c SIGQUIT "$T/target")"
asked mute 'did not answer'
asked endless 'wrote no map'
asked old 'older than Java 17'
pretend link
python3 -c '
import socket, sys, time
s = socket.socket(socket.AF_UNIX)
s.bind(sys.argv[1])
s.listen(8)
s.settimeout(60)
s.accept()
print("connected", flush=True)' "/tmp/other-$target" >"$T/other" 2>/dev/null &
other=$!
asked link 'wrote no map'
check_eq 'link: nobody else is asked' '' "$(cat "$T/other")"
asked file 'wrote no map'
ends huge
target=
ends silent --no-jvm
check_eq '--no-jvm: no signal' 0 "$(grep -c SIGQUIT "$T/target")"
target=
