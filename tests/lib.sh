# SPDX-License-Identifier: GPL-2.0-or-later
# lib.sh: functions for every sh test. A test prints TAP: "ok - NAME", "not ok - NAME: REASON", "ok - NAME # SKIP REASON", notes as
# comments, and the plan at its end. $T is a fresh directory, which is removed at the end. A script exits 1 after a `not ok`, otherwise with
# its own status. No function here stops a test: each returns 0 whatever it finds, so that the rest of the test still runs.
# Tests in the guest: see tests/guest/guest.sh.

T_top=$(mktemp -d "${TMPDIR:-/tmp}/flametap.XXXXXX") || exit 1
T=$T_top/t
mkdir "$T"
: >"$T_top/results"
trap 'test_end' EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

# no debuginfod server of this machine's settings, which may be slow or know the programs
export DEBUGINFOD_URLS=

# at_end COMMAND: sets the command that runs when the test ends, however it ends; replaces the previous one
test_cleanup=''
at_end() {
	test_cleanup=$1
}

# Results are counted in a file, because checks may run in subshells.
test_end() {
	test_status=$?
	set +eu
	eval "$test_cleanup"
	[ "$test_status" != 0 ] || [ ! -e "$T_top/failed" ] || test_status=1
	echo "1..$(grep -c '' "$T_top/results")"
	rm -rf "$T_top"
	exit "$test_status"
}

ok() {
	echo >>"$T_top/results"
	echo "ok - $1"
}

# not_ok NAME REASON: prints a failed result
not_ok() {
	echo >>"$T_top/results"
	: >"$T_top/failed"
	echo "not ok - $1: $2"
}

# skip NAME REASON: prints a skipped result
skip() {
	echo >>"$T_top/results"
	echo "ok - $1 # SKIP $2"
}

# results FILE: prints the result lines of a program that prints "ok NAME", "not ok NAME: REASON", "skip NAME: REASON" and notes, in our
# form
results() {
	sed -E 's/^(not ok|ok) (- )?/\1 - /; s/^skip ([^:]*): (.*)/ok - \1 # SKIP \2/' "$1"
	grep -aE '^(ok|not ok|skip) ' "$1" >>"$T_top/results" || :
	! grep -qa '^not ok ' "$1" || : >"$T_top/failed"
}

# note [FILE]: prints the file, or stdin, as notes
# shellcheck disable=SC2120
note() {
	sed 's/^/# /' "$@"
}

# check NAME COMMAND…: ok if the command succeeds; if not, the last 20 lines of its output follow as notes, or of the file that grep read
check() {
	check_name=$1
	shift
	check_status=0
	"$@" >"$T_top/output" 2>&1 || check_status=$?
	if [ "$check_status" = 0 ]; then
		ok "$check_name"
	else
		not_ok "$check_name" "exit $check_status: $*"
		tail -n 20 "$T_top/output" | note
		[ "$1" != grep ] || eval "tail -n 20 \"\${$#}\"" 2>/dev/null | cut -c 1-300 | note
	fi
}

# check_eq NAME EXPECTED ACTUAL: ok if the texts are equal; texts of more than one line are shown as a diff
check_eq() {
	if [ "$2" = "$3" ]; then
		ok "$1"
		return 0
	fi
	case $2$3 in
	*'
'*)
		printf '%s\n' "$2" >"$T_top/expected"
		printf '%s\n' "$3" >"$T_top/actual"
		not_ok "$1" "differs from what was expected (-)"
		diff -u "$T_top/expected" "$T_top/actual" | sed 1,2d | head -n 40 | note
		;;
	*) not_ok "$1" "expected '$2', got '$3'" ;;
	esac
}

# judged COMMAND…: runs a judge, whose result lines become ours; a judge exits 1 if it found something wrong
judged() {
	"$@" >"$T/results" 2>"$T/errors" && status=0 || status=$?
	results "$T/results"
	if [ "$status" -gt 1 ]; then
		not_ok "$*" "exit $status: $(tail -n 1 "$T/errors")"
	fi
}

# sequential RIGHT WRONG: prints what so many right and wrong samples decide: good, bad or more. This is Wald's sequential test of "at most
# 0.5 % are wrong" against "at least 5 % are wrong"; each is decided wrongly once in a million times. A wrong sample adds ln(0.05 / 0.005),
# a right one ln(0.95 / 0.995), until the sum reaches ±ln(999999); the logarithms are constants because not every awk knows log(). 299 right
# samples are good, 6 wrong ones are bad.
sequential() {
	awk -v right="$1" -v wrong="$2" 'BEGIN {
		sum = wrong * 2.302585 - right * 0.046281
		limit = 13.815509
		print (sum >= limit ? "bad" : sum <= -limit ? "good" : "more") }'
}

# few NAME WRONG ALL: checks that the sequential test finds these samples good
few() {
	few_is=$(sequential $(($3 - $2)) "$2")
	if [ "$few_is" = good ]; then ok "$1"; else not_ok "$1" "$few_is: $2 of $3"; fi
}

# asks_jvms: for tests that ask JVMs, with -a also the JVMs of another test: only one such test runs at a time
asks_jvms() {
	no_jvm=
	exec 8>"$TOP/build/asks_jvms.lock"
	flock 8
}

# until_true COMMAND…: waits until COMMAND succeeds; fails if it does not in $patience seconds. A machine that is busy, or stands still for
# a minute, is given time: only a test that fails waits that long.
patience=600
until_true() {
	set -- $(($(date +%s) + patience)) "$@"
	while ! but_first "$@"; do
		[ "$(date +%s)" -lt "$1" ] || return 1
		sleep 0.1
	done
}

# but_first WORD COMMAND…: runs COMMAND
but_first() {
	shift
	"$@"
}

# await_start PID: waits until the program that a child of ours executes has used 0.1 s of processor time from this call on, or sleeps for
# 0.3 s, or has ended. However busy the machine is, the program has then reached the place where it stays.
await_start() {
	start_cpu='' start_asleep=0
	until_true has_started "$1" || :
}

# executes PID: checks that this child of ours executes a program; before exec it is a copy of this shell
executes() {
	! cmp -s "/proc/$$/cmdline" "/proc/$1/cmdline"
}

has_started() {
	executes "$1" || return 1
	# shellcheck disable=SC2046 # what follows the name: state, …, CPU time of user and kernel in 1/100 s
	set -- $(sed 's/.*) //' "/proc/$1/stat" 2>/dev/null)
	case ${1:-Z} in
	Z) return 0 ;;
	S) start_asleep=$((start_asleep + 1)) ;;
	*) start_asleep=0 ;;
	esac
	: "${start_cpu:=$((${12} + ${13}))}"
	[ $((${12} + ${13} - start_cpu)) -ge 10 ] || [ $start_asleep -ge 4 ]
}
