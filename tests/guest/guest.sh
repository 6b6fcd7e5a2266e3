# SPDX-License-Identifier: GPL-2.0-or-later
# guest.sh: sourced by the tests of tests/guest/t. Each defines `prepare` and `in_guest`, ends with `guest_main "$@"` and runs twice, as root,
# with the same file system and HOME:
#   `prepare`   outside, in a chroot at native speed: build target programs, compile the stap modules into the cache;
#   `in_guest`  in the booted guest, where the CPUs are emulated: nothing may be compiled there.
# Both have LAB_WORK, a directory of this test's own that outlives `prepare` (/tmp does not), and KVER, the guest's kernel release. All that is
# not in /lab is lost. Targets that `prepare` starts die with it.
# Lines of a script's head: "# suites: SUITE …" it is for, see tests/guest/image (default: sid; runtime: prepared in sid, run where
# systemtap-runtime alone is installed); "# engine: bpf": FLAMETAP_ENGINE (stap); "# tier: all [SUITE…]": only in `make check-all`, in these
# suites or in all; "# roots: KIND-SUITE …": what of tests/roots.sh it finds in /lab/roots (perl-trixie).
# All images have the users dev (member of stapdev and stapusr), usr (of stapusr) and plain (of neither).

. /lab/lib.sh

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

# lab_keep FILE…: copies to build/guest/SUITE/out/NAME.files, for whoever wants to look at them
lab_keep() {
	mkdir -p "/lab/out/$LAB_NAME.files"
	cp -R "$@" "/lab/out/$LAB_NAME.files/"
}

# guest_main [prepare]: the last line of such a script
guest_main() {
	LAB_NAME=$(basename "$0" .sh)
	LAB_PART=${1:-in_guest}
	LAB_WORK=/lab/made/$LAB_NAME
	export LAB_PART LAB_WORK
	mkdir -p "$LAB_WORK"
	"$LAB_PART"
}
