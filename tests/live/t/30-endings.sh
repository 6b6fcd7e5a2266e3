# SPDX-License-Identifier: GPL-2.0-or-later
# The ways in which a recording ends.
set -eu

. "$TOP/tests/live/lib.sh"

BURN=sleep RECORD=-u TERMINAL=$TOP/tests/programs/terminal.pl
. "$TOP/tests/endings.sh"

# the stand-in has samples although the target sleeps
has_worked() {
	:
}

endings_of_driver
endings_of_guard
endings_of_output
trap '' HUP
target sleep 120
driver -t 2
trap 'exit 129' HUP
recorded 0.5
kill -HUP "$driver"
ended 'sighup under nohup' 0 4 some
check 'sighup under nohup: it went on' grep -qE '^meta seconds ([2-9]|[0-9]{2,})[.]' "$T/e/a.rec"
STAND_IN=deaf
target sleep 120
driver
recorded 0
for _ in 1 2 3; do kill -INT "$driver" 2>/dev/null || :; sleep 0.3; done
ended 'no answer, ctrl-c thrice' 2 2 none
STAND_IN=refused
target sleep 120
driver
ended 'module refused' 2 5 none
check 'module refused: stap speaks' grep -q "Couldn't insert module" stderr
STAND_IN=compiles
target sleep 120
driver
until_true test -e "$T/compiling"
kill -INT "$driver"
ended 'ctrl-c while compiling' 2 2 none
rm "$T/compiling"
target sleep 120
driver
until_true test -e "$T/compiling"
kill -KILL "$driver"
ended 'killed while compiling' 137 2 none
endings_show
