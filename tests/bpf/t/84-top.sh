#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# bt-top in a terminal: what is on the screen, what keys do, and that the terminal is as it was, however it ends.
set -eu
. "$TOP/tests/lib.sh"
. "$TOP/tests/bpf/lib.sh"

if ! command -v tmux >/dev/null; then
	skip bt-top 'no tmux'
	exit
fi
cat >"$T/busy.c" <<'END'
static volatile unsigned long sum;
__attribute__((noipa)) void inner_function(void) { for (int i = 0; i < 1000000; i++) sum += i; }
__attribute__((noipa)) void outer_function(void) { inner_function(); sum++; }
int main(void) { for (;;) outer_function(); }
END
cc -O1 -o "$T/busy" "$T/busy.c"

# terminal ARG…: calls the tmux of this test
terminal() {
	tmux -S "$T/socket" -f /dev/null "$@"
}
screen() {
	terminal capture-pane -p
}
press() {
	terminal send-keys "$@"
}
# shown PATTERN: checks that a line of the screen matches
shown() {
	screen | grep -qE "$1"
}
# see NAME PATTERN: checks that it is shown within a minute
see() {
	if until_true shown "$2"; then
		ok "$1"
	else
		not_ok "$1" "'$2' is not on the screen"
		screen | note
	fi
}
# type LINE: has the shell in the terminal execute it
type() {
	press -l "$1"
	press Enter
}
# settings FILE: writes the settings of the terminal and whether the program has its own screen and cursor
settings() {
	rm -f "$T/done"
	type "stty -a | sed 's/rows.*columns [0-9]*//' >$1; : >$T/done"
	until_true test -e "$T/done"
	terminal display -p '#{alternate_on} #{cursor_flag} #{keypad_flag}' >>"$1"
}
begin() {
	rm -f "$T/code"
	type "clear; '$TOP/bin/bt-top' --no-jvm $1; echo \$? >$T/code"
	see "$2: it is shown" 'self[* ] '
}
# restored NAME [CODE]: waits for the end; checks the exit code, and that the terminal is as it was
restored() {
	until_true test -s "$T/code"
	settings "$T/after"
	check_eq "$1: the terminal is as it was" "$(cat "$T/before")" "$(cat "$T/after")"
	check_eq "$1: exit code" "$2" "$(cat "$T/code")"
}
# recorder: prints the PID of the recorder; viewer: its first child, which draws
recorder() {
	terminal list-panes -F '#{pane_pid}' | xargs pgrep -P
}
viewer() {
	pgrep -P "$(recorder)" | head -n 1
}

subjects=''
at_end 'terminal kill-server; kill -9 $subjects 2>/dev/null || :'
# work: starts a busy program, $subject
work() {
	"$T/busy" &
	subject=$!
	subjects="$subjects $subject"
}

terminal new-session -d -x 80 -y 24 "env PS1='$ ' LC_ALL=C.UTF-8 sh"
settings "$T/before"
work

begin "-p $subject" keys
see 'functions' '^ *[0-9.]+ % +[0-9.]+ % inner_function \[busy\]'
see 'activity' '^each second .*█'
press t
see 'a closed tree' '% \+ [^ ]'
press '*'
see 'an open tree' '% +- outer_function'
press /
press -l INNER
press Enter
see 'a search' '/INNER$'
press Escape
press c Right
see 'callers' '^ +[0-9.]+ % +\+ outer_function'
press h
see 'threads' "% \+ busy/$subject"
press ?
see 'help' 'Space +freeze'
press Space Space
see 'frozen' 'frozen'
press Space o
press -l "$T/saved.svg"
press Enter
see 'a picture is written' "^wrote '.*saved.svg'"
press o
press -l "$T/saved.rec"
press Enter
see 'a recording is written' "^wrote '.*saved.rec'"
check 'the picture' xmllint --noout "$T/saved.svg"
check 'the recording' sh -c "'$TOP/bin/bt-collapse' '$T/saved.rec' 2>/dev/null | grep -q 'outer_function;inner_function '"
terminal resize-window -x 100 -y 10
press f
see 'another size' '^.{84,}samples$'
terminal resize-window -x 80 -y 24
press q
restored q 0

begin "-p $subject" SIGTERM
kill -TERM "$(recorder)"
restored SIGTERM 0

begin "-p $subject" 'kill -9 of the viewer'
kill -9 "$(viewer)"
restored 'kill -9 of the viewer' 2

begin "-p $subject" 'kill -9 of the recorder'
kill -9 "$(recorder)"
restored 'kill -9 of the recorder' 137

begin "-t 2 -o $T/end.folded -p $subject" 'a time'
restored 'a time' 0
check 'what is written at the end' grep -q 'outer_function;inner_function ' "$T/end.folded"

begin "-p $subject" 'kill -9 of the target'
kill -9 "$subject"
see 'kill -9 of the target: it is told' 'the recording has ended'
press q
restored 'kill -9 of the target' 0

begin "-- sh -c 'echo to the terminal; exec sleep 600'" 'a command'
check_eq 'a command does not write to the screen' '' "$(screen | grep 'to the terminal$')"
press C-c
restored 'a command' 0
