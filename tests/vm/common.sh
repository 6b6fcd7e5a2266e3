# SPDX-License-Identifier: GPL-2.0-or-later
# common.sh: sourced by the laboratory's programs, which set $top before. LAB_SUITE: the suite of the guest, LAB_LEVEL: the folder of
# tests/ whose tests are in question; run sets them for the others. $images: the folder of the suite's images, LAB_IMAGES/SUITE,
# which all clones of the user share (default: in ~/.cache); $tests_dir: of the tests.

suites='sid trixie bookworm bullseye'
suite=${LAB_SUITE:-sid}
level=${LAB_LEVEL:-vm}
export LAB_IMAGES="${LAB_IMAGES:-${XDG_CACHE_HOME:-${HOME:-$top/build}/.cache}/flametap/guests}"
images=$LAB_IMAGES/$suite
tests_dir=$top/tests/$level/t

is_suite() {
	case " $suites " in
	*" $1 "*) ;;
	*) return 1 ;;
	esac
}

no_time='no time left, see CHECK_MINUTES in tests/run'

# time_left: seconds until no more guests are to begin; without such a time very many
time_left() {
	echo "$((${CHECK_UNTIL:-9999999999} - $(date +%s)))"
}

# child COMMAND…: dies with this script
child() {
	setpriv --pdeathsig TERM "$@"
}

# header TEST.sh WORD DEFAULT: the value of a line "# WORD: VALUE" of the script
header() {
	value=$(sed -n "s/^# $2: *\([^ ][^ ]*\).*/\1/p" "$1" | head -n 1)
	echo "${value:-$3}"
}

# suites_of TEST.sh DEFAULT: "# vm-suites: SUITE …"
suites_of() {
	value=$(sed -n 's/^# vm-suites: *//p' "$1" | head -n 1)
	echo "${value:-$2}"
}

names() {
	for test; do basename "$test" .sh; done
}

# how many guests may run at a time, on the whole machine
guests() {
	cpus=$(nproc)
	echo "${LAB_LANES:-$((cpus < 2 ? cpus : 2))}"
}
