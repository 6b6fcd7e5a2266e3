#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# terminal: a traced program chooses its names. No name can control a terminal, and no spreadsheet executes one.
set -eu
. "$TOP/tests/lib.sh"

bin=${BIN%/*}
esc=$(printf '\033')
# moves the cursor, sets the title, rings the bell, changes the writing direction; the last frame begins like a formula in full width
printf 'main;\033[2J\033]0;owned\007;\302\233m;\342\200\256x;\357\274\235HYPERLINK(1) 7\n' >"$T/a.folded"

# on_terminal COMMAND…: prints what COMMAND writes to a terminal
on_terminal() {
	script -qec "$*" /dev/null </dev/null
}

# harmless NAME COMMAND…: checks the output of COMMAND
harmless() {
	name=$1
	shift
	on_terminal "$@" >"$T/shown"
	check "$name: something is shown" grep -q main "$T/shown"
	tr -d '\r\n\t' <"$T/shown" >"$T/line"
	check "$name: no control characters" sh -c "! LC_ALL=C grep -q '[[:cntrl:]]' '$T/line'"
	check "$name: no other ones" sh -c "! LC_ALL=C grep -q '$(printf '\302\233\\|\342\200\256')' '$T/shown'"
}

if ! command -v script >/dev/null; then
	skip terminal 'no script(1)'
	exit 0
fi
harmless 'bt-report' "'$bin/bt-report' '$T/a.folded'"
harmless 'bt-report --text' "'$bin/bt-report' --text '$T/a.folded'"
harmless 'bt-report --json' "'$bin/bt-report' --json '$T/a.folded'"
harmless 'bt-collapse' "'$bin/bt-collapse' '$T/a.folded'"
harmless 'bt-export --folded' "'$bin/bt-export' --folded '$T/a.folded'"
harmless 'bt-flame' "'$bin/bt-flame' -o - '$T/a.folded'"
harmless 'bt-diff --csv' "'$bin/bt-diff' --csv '$T/a.folded' '$T/a.folded'"

# refused NAME USE COMMAND…: what is not text is not written to a terminal, and the message says what to USE
refused() {
	name=$1 use=$2
	shift 2
	status=0
	on_terminal "$@" >"$T/shown" || status=$?
	check_eq "$name on a terminal: exit code" 64 "$status"
	check_eq "$name on a terminal: message" "${name%% *}: the output is not for a terminal: use $use" "$(tr -d '\r' <"$T/shown")"
}
refused 'bt-flame' '-o FILE.svg or --open' "'$bin/bt-flame' '$T/a.folded'"
refused 'bt-diff' '-o FILE.svg or --open, or --top N for the functions that changed' "'$bin/bt-diff' '$T/a.folded' '$T/a.folded'"
refused 'bt-export --pprof' "-o FILE, or '>'" "'$bin/bt-export' --pprof '$T/a.folded'"
on_terminal "'$bin/bt-report' '$T/a.folded'" >"$T/shown"
check 'bt-report: a text table on a terminal' grep -q '^  self % self ' "$T/shown"

"$bin/bt-report" "$T/a.folded" >"$T/a.csv"
check 'no formula' sh -c "! grep -q '^\"\\{0,1\\}$(printf '\357\274\235')' '$T/a.csv'"
check 'an escape stays in a file' grep -q "$esc" "$T/a.csv"
