# SPDX-License-Identifier: GPL-2.0-or-later
# endings.sh: functions for tests that end a recording in every possible way and check how it ended. Sourced after lib.sh. Needs BIN
# (sample-bt), BURN (a program that keeps a CPU busy for as many seconds as its argument says), RECORD (more words for sample-bt) and
# TERMINAL (programs/terminal.pl).
# Each ending is a line of a table: NAME, exit code, seconds from the event that ended it to the end, samples kept, what was left behind.
# The seconds are a note: a recorder that does not end by itself is killed after a time that no machine needs, and the test fails.

endings_table=$T/endings
printf '# %-34s %4s %7s %7s  %s\n' ending exit seconds kept left >"$endings_table"

# target COMMAND…: starts COMMAND, and returns when it is executed
target() {
	"$@" >/dev/null 2>&1 &
	target=$!
	until_true executes "$target" || :
}

# driver ARG…: starts sample-bt on the target, with $T/e/a.rec as its output
driver() {
	rm -rf "$T/e"
	mkdir "$T/e"
	# a background job of sh ignores SIGINT; sample-bt does not
	# shellcheck disable=SC2086
	"$BIN" -v -p "$target" -o "$T/e/a.rec" --min-quality 1 $RECORD "$@" >"$T/stdout" 2>"$T/stderr" &
	driver=$!
}

now() {
	# a fork of date is slow in an emulator
	read -r uptime _ </proc/uptime
	echo "$uptime"
}

recording() {
	grep -q 'the probes are in place' "$T/stderr" || ! kill -0 "$driver" 2>/dev/null
}

# recorded SECONDS: waits until the recording has run for that long
recorded() {
	until_true recording || :
	sleep "$1"
}

# recorded_some SECONDS: waits as recorded does, and until the target has worked for 0.1 s, which is a hundred samples
recorded_some() {
	recorded "$1"
	worked_before=$(worked)
	until_true has_worked || :
}

# worked: prints the target's CPU time in 1/100 s
worked() {
	sed 's/.*) //' "/proc/$target/stat" | awk '{ print $12 + $13 }'
}

has_worked() {
	[ "$(worked)" -ge $((worked_before + 10)) ]
}

gone() {
	! kill -0 "$1" 2>/dev/null
}

kept() {
	[ -s "$T/e/a.rec" ] || { echo 0; return; }
	awk '$1 == "row" { n += $6 } END { print n + 0 }' "$T/e/a.rec"
}

# named NAME…: prints "PID (NAME)" of the processes with these names that descend from this test, without zombies
ENDINGS=$T
export ENDINGS
named() {
	for dir in /proc/[0-9]*; do
		{ read -r pid comm state _ <"$dir/stat"; } 2>/dev/null || continue
		for name; do
			[ "$comm" != "($name)" ] || [ "$state" = Z ] || ! grep -qa "ENDINGS=$T" "$dir/environ" 2>/dev/null || echo "$pid $comm"
		done
	done
}

# left_of_engine: prints a line for each thing that an engine must not leave behind. This is SystemTap's; a test of another engine redefines
# it.
left_of_engine() {
	for dir in /sys/module/stap_*; do
		[ ! -d "$dir" ] || echo module
	done
	for file in /run/flametap/[0-9]*; do
		# the claim of another process, which has just ended, will be removed soon
		[ ! -e "$file" ] || is_of_another "${file##*/}" || until_true test ! -e "$file" || echo claim
	done
}

# is_of_another PID: checks that PID lives and does not descend from this test
is_of_another() {
	grep -qa . "/proc/$1/environ" 2>/dev/null && ! grep -qa "ENDINGS=$T" "/proc/$1/environ"
}

# left: prints what a recording must not leave behind; zombies are left to their parents
left() {
	left_of_engine
	named flametap-guard stap staprun stapio
	for file in "$T"/e/*; do
		case $file in
		*/a.rec | *'*') ;;
		*) echo "${file##*/}" ;;
		esac
	done
}

all_left() {
	left | sort -u | tr '\n' ' ' | sed 's/ $//'
}

is_left() {
	[ "$(all_left)" = "$1" ]
}

# ended NAME CODE SECONDS KEPT [LEFT]: waits for the driver and judges. CODE may be a pattern ("0|1"); KEPT is some, none or any.
ended() {
	from=$(now)
	why=
	until_true gone "$driver" || {
		why='; did not end'
		kill -KILL "$driver" 2>/dev/null || :
	}
	wait "$driver" 2>/dev/null && code=0 || code=$?
	seconds=$(echo "$from $(now)" | awk '{ printf "%.1f", $2 - $1 }')
	samples=$(kept)
	until_true is_left "${5-}" || :
	rest=$(all_left)
	printf '# %-34s %4s %7s %7s  %s\n' "$1" "$code" "$seconds" "$samples" "${rest:--}" >>"$endings_table"
	kill -KILL "$target" 2>/dev/null || :
	wait "$target" 2>/dev/null || :
	echo "$code" | grep -qxE "$2" || why="$why; exit code $code, not $2"
	case $4$samples in
	none0 | any* | some[1-9]*) ;;
	*) why="$why; $samples samples, not $4" ;;
	esac
	[ "$rest" = "${5-}" ] || why="$why; left: $rest"
	if [ -z "$why" ]; then
		ok "$1"
	else
		not_ok "$1" "${why#; }"
		tail -n 10 "$T/stderr" | note
	fi
}

# The endings that do not need a real SystemTap.
endings_of_driver() {
	target "$BURN" 120
	driver -t 1
	recorded 0
	ended 'time is over' 0 4 some

	target "$BURN" 120
	driver
	recorded_some 1
	kill -INT "$driver"
	ended 'ctrl-c' 0 5 some

	target "$BURN" 120
	driver
	recorded_some 1
	kill -TERM "$driver"
	ended 'sigterm' 0 5 some

	target "$BURN" 120
	driver
	recorded_some 1
	kill -HUP "$driver"
	ended 'sighup' 0 5 some

	target "$BURN" 120
	driver
	recorded 1
	kill -INT "$driver"
	sleep 0.3
	kill -INT "$driver" 2>/dev/null || :
	ended 'ctrl-c twice' '[012]' 5 any

	target "$BURN" 120
	driver
	recorded 1
	kill -KILL "$driver"
	ended 'driver killed' 137 2 none

	target "$BURN" 120
	driver
	recorded_some 1
	kill -STOP "$driver"
	sleep 2
	kill -CONT "$driver"
	kill -INT "$driver"
	ended 'driver stopped for a while' 0 5 some

	target "$BURN" 120
	driver -t 120
	recorded_some 1
	kill -TERM "$target"
	ended 'target ends' 0 4 some

	target "$BURN" 120
	driver -t 120
	recorded_some 1
	kill -KILL "$target"
	ended 'target killed' 0 4 some

	# a parent that never waits for its child
	target sh -c '"$1" 120 & echo $! >"$2"; exec sleep 120' sh "$BURN" "$T/child"
	parent=$target
	until_true test -s "$T/child"
	read -r target <"$T/child"
	driver -t 120
	recorded_some 1
	kill -TERM "$target"
	ended 'target ends, a zombie' 0 4 some
	kill "$parent"
	rm "$T/child"

	target "$BURN" 120
	driver -o /nonexistent/a.svg -t 1
	ended 'no folder for an output' 2 2 none
}

# The ending of an engine that has a process between it and sample-bt
endings_of_guard() {
	target "$BURN" 120
	driver
	recorded_some 1
	read -r guard _ <<-EOF
		$(named flametap-guard)
	EOF
	kill -KILL "$guard"
	ended 'guard killed' '[01]' 8 some
}

# Targets that do nothing, or execute another program; they need an engine that records
endings_of_target() {
	target sleep 120
	await_start "$target"
	driver -t 2
	recorded 0
	ended 'target idle' 1 6 none

	target "$BURN" 120
	kill -STOP "$target"
	driver -t 2
	recorded 0
	ended 'target stopped' 1 6 none

	# shellcheck disable=SC2016
	target sh -c 'i=0; while [ $i -lt 3000 ]; do i=$((i + 1)); done; exec "$0" 120' "$BURN"
	driver -t 3
	recorded 0
	ended 'target executes another program' 0 7 some
}

# The reader of a pipe, or the terminal, goes away
endings_of_output() {
	target "$BURN" 120
	driver_on_pipe
	ended 'reader of stdout gone' 2 8 none

	target "$BURN" 120
	driver_on_terminal
	recorded_some 1
	kill -KILL "$terminal"
	ended 'terminal closed' 127 8 some
	rm "$T/stderr"
}

driver_on_pipe() {
	rm -rf "$T/e"
	mkdir "$T/e"
	mkfifo "$T/pipe"
	# shellcheck disable=SC2086
	"$BIN" -v -p "$target" -t 120 $RECORD >"$T/pipe" 2>"$T/stderr" &
	driver=$!
	{ recorded 1; } <"$T/pipe"
	rm "$T/pipe"
}

driver_on_terminal() {
	rm -rf "$T/e" "$T/pid"
	mkdir "$T/e"
	ln -sf "$T/pid.err" "$T/stderr"
	# shellcheck disable=SC2086,SC2016
	perl "$TERMINAL" sh -c 'echo $$ >"$0"; exec "$@" 2>"$0.err"' "$T/pid" \
		"$BIN" -v -p "$target" -o "$T/e/a.rec" --min-quality 1 $RECORD >/dev/null 2>&1 &
	terminal=$!
	until_true test -s "$T/pid" || :
	read -r driver <"$T/pid"
}

endings_show() {
	cat "$endings_table"
}
