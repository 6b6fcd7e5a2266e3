# SPDX-License-Identifier: GPL-2.0-or-later
# common.sh: sourced by run, lane and prepare.

# child COMMAND…: dies with this script
child() {
	setpriv --pdeathsig TERM "$@"
}

# header TEST.sh WORD DEFAULT: the value of a line "# WORD: VALUE" of the script
header() {
	value=$(sed -n "s/^# $2: *\([^ ][^ ]*\).*/\1/p" "$1" | head -n 1)
	echo "${value:-$3}"
}

names() {
	for test; do basename "$test" .sh; done
}
