# SPDX-License-Identifier: GPL-2.0-or-later
# live/lib.sh: functions for tests/live/t/*.sh, which test sample-bt from its command line to its files and exit codes, with a stand-in for
# stap (see stand-in/stap). SystemTap itself is tested in the guests, tests/guest.

. "$TOP/tests/lib.sh"
bin=${BIN%/*}
PATH=$TOP/tests/live/stand-in:$PATH
TMPDIR=$T
FLAMETAP_ENGINE=stap
STAND_IN=good
export PATH TMPDIR FLAMETAP_ENGINE STAND_IN
umask 022

sleep 1000 &
subject=$!
named=''
at_end 'kill $subject $named 2>/dev/null'

# sample HOW CODE ARG…: runs sample-bt with the stand-in in mode HOW and checks the exit code
sample() {
	STAND_IN=$1
	code=$2
	shift 2
	"$BIN" "$@" >"$T/stdout" 2>"$T/stderr" && status=0 || status=$?
	check_eq "$STAND_IN: exit code of $*" "$code" "$status"
	[ "$status" = "$code" ] || note "$T/stderr"
}

cd "$T"
