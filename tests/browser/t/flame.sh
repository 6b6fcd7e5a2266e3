#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# flame: tests the flame graph in a headless Chromium. BT_FLAME, CHROMIUM, CHROMEDRIVER and PYTHON name other programs.
. "$TOP/tests/lib.sh"

cd "$TOP" || exit 1
BT_FLAME=${BT_FLAME:-$BINDIR/bt-flame}
PYTHON=${PYTHON:-python3}

find_program() {
	for candidate; do
		command -v "$candidate" && return 0
	done
	return 1
}

CHROMIUM=$(find_program "${CHROMIUM:-chromium}" chromium-browser google-chrome) || {
	skip browser 'no chromium here'
	exit 0
}
CHROMEDRIVER=$(find_program "${CHROMEDRIVER:-chromedriver}") || {
	skip browser 'no chromedriver here (package chromium-driver)'
	exit 0
}
"$PYTHON" -c '' 2>/dev/null || {
	skip browser 'no python3 here'
	exit 0
}
export BT_FLAME CHROMIUM CHROMEDRIVER TMPDIR="$T" PYTHONDONTWRITEBYTECODE=1
judged "$PYTHON" tests/browser/flame.py "$@"
