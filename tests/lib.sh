# SPDX-License-Identifier: GPL-2.0-or-later
# lib.sh: sourced by every sh test. A test prints TAP: "ok - NAME", "not ok - NAME: REASON", "ok - NAME # SKIP REASON", notes as
# comments, and the plan at its end. $T is a fresh directory, removed at the end. A script exits 1 after a `not ok`, otherwise with its own
# status. No function here stops a test: each returns 0 whatever it found, so that what follows is still tested.
# Tests in the guest (tests/vm/t, tests/kernels/t): define `prepare` and `in_guest`, end with `vm_main "$@"`; see below.

T_top=$(mktemp -d "${TMPDIR:-/tmp}/flametap.XXXXXX") || exit 1
T=$T_top/t
mkdir "$T"
: >"$T_top/results"
trap 'test_end' EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

# no server of this machine's settings, which may be slow or know the programs
export DEBUGINFOD_URLS=

# Results are counted in a file, because checks may run in subshells.
test_end() {
	test_status=$?
	[ "$test_status" != 0 ] || [ ! -e "$T_top/failed" ] || test_status=1
	echo "1..$(grep -c '' "$T_top/results")"
	rm -rf "$T_top"
	exit "$test_status"
}

ok() {
	echo >>"$T_top/results"
	echo "ok - $1"
}

# not_ok NAME REASON
not_ok() {
	echo >>"$T_top/results"
	: >"$T_top/failed"
	echo "not ok - $1: $2"
}

# skip NAME REASON
skip() {
	echo >>"$T_top/results"
	echo "ok - $1 # SKIP $2"
}

# results FILE: the result lines of a program that prints "ok NAME", "not ok NAME: REASON", "skip NAME: REASON" and notes, as ours
results() {
	sed -E 's/^(not ok|ok) (- )?/\1 - /; s/^skip ([^:]*): (.*)/ok - \1 # SKIP \2/' "$1"
	grep -aE '^(ok|not ok|skip) ' "$1" >>"$T_top/results" || :
	! grep -qa '^not ok ' "$1" || : >"$T_top/failed"
}

# note [FILE]: the file, or stdin, as notes
# shellcheck disable=SC2120
note() {
	sed 's/^/# /' "$@"
}

# check NAME COMMAND…: ok if the command succeeds; if not, the last 20 lines of its output follow as notes
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
	fi
}

# check_eq NAME EXPECTED ACTUAL: texts; more than one line are shown as a diff
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

# near NAME ACTUAL EXPECTED TOLERANCE: numbers; the tolerance is in the same unit, or with % a share of what was expected
near() {
	if awk -v a="$2" -v e="$3" -v t="$4" 'BEGIN {
		number = "^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]+)?$"
		if (a !~ number || e !~ number) exit 1
		limit = t + 0
		if (t ~ /%$/) limit *= (e < 0 ? -e : e) / 100
		distance = a > e ? a - e : e - a
		exit !(distance <= limit) }'
	then
		ok "$1"
	else
		not_ok "$1" "got '$2', expected $3 within $4"
	fi
}

# few NAME PART ALL: PART is at most 0.5 % of ALL and three standard deviations of so many, and there is something: a stack in a
# thousand may meet its page being moved
few() {
	if awk -v part="$2" -v all="$3" 'BEGIN { few = all / 200; exit !(all > 0 && part <= few + 3 * sqrt(few)) }'; then
		ok "$1"
	else
		not_ok "$1" "$2 of $3"
	fi
}

# judged COMMAND…: a judge, whose result lines are ours; exits 1 if it found something
judged() {
	"$@" >"$T/results" 2>"$T/errors" && status=0 || status=$?
	results "$T/results"
	if [ "$status" -gt 1 ]; then
		not_ok "$*" "exit $status: $(tail -n 1 "$T/errors")"
	fi
}

# sequential RIGHT WRONG: what so many right and wrong samples decide: good, bad or more. Wald's test of "at most 0.5 % are wrong" against
# "at least 5 % are wrong", each decided wrongly once in a million times: a wrong sample adds ln(0.05 / 0.005), a right one
# ln(0.95 / 0.995), up to ln(999999) either way. 298 right samples are good, 7 wrong ones are bad.
sequential() {
	awk -v right="$1" -v wrong="$2" 'BEGIN {
		sum = wrong * log(0.05 / 0.005) + right * log(0.95 / 0.995)
		limit = log(999999)
		print sum >= limit ? "bad" : sum <= -limit ? "good" : "more" }'
}

# until_true SECONDS COMMAND…: false when it did not come true in time, nor in ten tries
until_true() {
	tries=10
	until_end=$(($(date +%s) + $1))
	shift
	while ! "$@"; do
		tries=$((tries - 1))
		[ "$tries" -gt 0 ] || [ "$(date +%s)" -lt "$until_end" ] || return 1
		sleep 0.1
	done
}

# await_start PID: waits until the program that a child of ours executes has used 0.1 s of a processor from now on, or sleeps for 0.3 s,
# or has ended: however busy the machine is, it has got to where it stays
await_start() {
	start_cpu='' start_asleep=0
	until_true 60 has_started "$1" || :
}

# executes PID: this child of ours executes a program; until then it is a copy of this shell
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

# ---- tests in the guest. A script of tests/vm/t or tests/kernels/t runs twice, as root, on the same file system and with the same HOME:
#   `prepare`   outside, in a chroot at native speed: build target programs, compile the stap modules into the cache;
#   `in_guest`  in the booted guest, where the CPU is emulated: nothing may be compiled there.
# Both have LAB_WORK, a directory of this test's own that outlives `prepare` (/tmp does not), and KVER, the guest's kernel release.
# Lines of a script's head: "# vm-limit: SECONDS" sets the time limit of in_guest (default 120), "# prepare-limit: SECONDS" that of
# prepare (300); "# vm-weight: SECONDS" tells about how long in_guest takes (60), by which the tests are spread over the guests;
# "# vm-suites: SUITE …": the suites it is for (see tests/vm/image; default: those of its level, see tests/LEVEL/level);
# "# vm-image: runtime": in_guest runs where systemtap-runtime alone is installed: no stap, compiler, headers, debug files, module cache (sid).
# /lab/files has what the level's own `run` has put into build/LEVEL/files.
# All images have the users dev (member of stapdev and stapusr), usr (of stapusr) and plain (of neither).
# Targets that `prepare` starts die with it.

# lab_stap ARG…: one stap command for both: compiled into the cache by prepare, in the guest run from the cache, with a patched copy of
# the runtime where sample-bt takes one. Its key holds every argument and the sizes and times of the files named, so both calls must be
# alike; -m NAME turns the cache off.
# shellcheck disable=SC2046 # options and paths without blanks
lab_stap() {
	case $LAB_PART in
	prepare) stap -p4 -r "$KVER" $(lab_runtime) "$@" >/dev/null ;;
	*) stap $(lab_runtime) "$@" ;;
	esac
}

# the options for stap that sample-bt adds here: -R, -B
lab_runtime() {
	sample-bt --engine stap --compile-only -r "$KVER" -a -k -d |
		sed -n '/^# stap /{ s/ [^ ]*[/]on-cpu[.]stp .*//; s/.* --suppress-handler-errors//; s/ -r [^ ]*//; p; q; }'
}

# An option for stap, for tests that count every event: a probe waits up to 1 s for a lock. The emulator runs one CPU at a time, so the
# CPU that holds the lock may not run for longer than the 1 ms after which a probe is skipped.
lab_lock_wait=-DMAXTRYLOCK=100000

# lab_record ARG…: likewise a sample-bt command; prepare only compiles, without the options that do not matter there, and stops the
# target meanwhile, which would take a processor from the compilers. Emulated probes are always too dear: no limit for them.
lab_record() {
	case $LAB_PART in
	prepare)
		lab_signal STOP
		lab_status=0
		sample-bt --compile-only -r "$KVER" --overload 0 "$@" >/dev/null || lab_status=$?
		lab_signal CONT
		return "$lab_status"
		;;
	*) sample-bt --overload 0 "$@" ;;
	esac
}

# lab_module NAME ARG…: likewise by a module of this name, so that in the guest stap need not look for one in its cache: there it takes
# half a minute. What belongs to the module (-F, --stacks) need not be given in the guest, or must not.
lab_module() {
	lab_ko=$LAB_WORK/$1.ko
	shift
	case $LAB_PART in
	prepare) lab_record -o "$lab_ko" "$@" ;;
	*) sample-bt --module "$lab_ko" "$@" ;;
	esac
}

# lab_signal SIGNAL: to $target and its children, if there is one
lab_signal() {
	[ -z "${target-}" ] || { pkill "-$1" -P "$target"; kill "-$1" "$target"; } 2>/dev/null || :
}

# lab_start COMMAND…: a target in the background, at work when this returns: $target is its process, $T/target.out what it writes
lab_start() {
	"$@" >"$T/target.out" 2>&1 &
	target=$!
	await_start "$target"
}

# lab_finish: ends $target
lab_finish() {
	kill "$target" 2>/dev/null || :
	wait "$target" 2>/dev/null || :
}

# lab_keep FILE…: copies to build/LEVEL/SUITE/out/NAME.files, for whoever wants to look at them
lab_keep() {
	mkdir -p "/lab/out/$LAB_NAME.files"
	cp -R "$@" "/lab/out/$LAB_NAME.files/"
}

# skip_all REASON: nothing to prepare here; in_guest is not run
skip_all() {
	skip all "$1"
	exit 77
}

# vm_main [prepare]: the last line of such a script
vm_main() {
	LAB_NAME=$(basename "$0" .sh)
	if [ ! -d /lab/t ]; then
		skip "$LAB_NAME" "not in the laboratory: run tests/vm/run $LAB_NAME"
		return 0
	fi
	LAB_PART=${1:-in_guest}
	LAB_WORK=/lab/made/$LAB_NAME
	export LAB_PART LAB_WORK
	mkdir -p "$LAB_WORK"
	"$LAB_PART"
}
