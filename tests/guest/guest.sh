# SPDX-License-Identifier: GPL-2.0-or-later
# guest.sh: functions for the tests of tests/guest/t. Each test defines `prepare` and `in_guest`, ends with `guest_main "$@"`, and runs
# twice, as root, with the same file system and HOME:
#   `prepare`   runs outside, in a chroot at native speed: builds target programs, compiles the stap modules into the cache;
#   `in_guest`  runs in the booted guest, where the CPUs are emulated, so that nothing may be compiled there.
# Both have LAB_WORK, a directory of this test's own that outlives `prepare` (/tmp does not), and KVER, the guest's kernel release.
# Everything outside of /lab is lost. Targets that `prepare` starts die with it.
# Lines of a script's head: "# suites: SUITE …" names its suites, see tests/guest/image (default: sid; runtime: prepared in sid, run where
# only systemtap-runtime is installed); "# engine: bpf" sets FLAMETAP_ENGINE (stap); "# tier: all [SUITE…]": runs only in `make check-all`,
# in these suites or in all; "# roots: KIND-SUITE …": the roots of tests/roots.sh that it finds in /lab/roots (perl-trixie); "# guest: own":
# it runs only if it is named, in a guest with the real clock, which is faster, see tests/guest/boot. CHECK_ALL is set for `make check-all`.
# All images have the users dev (member of stapdev and stapusr), usr (member of stapusr) and plain (member of neither).

. /lab/lib.sh

# lab_stap ARG…: one stap command for both runs: prepare compiles it into the cache, and in the guest it runs from the cache, with a patched
# copy of the runtime if sample-bt uses one. The cache's key holds every argument and the sizes and times of the named files, so both calls
# must be equal; -m NAME disables the cache.
# shellcheck disable=SC2046 # options and paths without blanks
lab_stap() {
	case $LAB_PART in
	prepare) stap -p4 -r "$KVER" $(lab_runtime) "$@" >/dev/null ;;
	*) stap $(lab_runtime) "$@" ;;
	esac
}

# lab_runtime: prints the options for stap that sample-bt adds here: -R, -B
lab_runtime() {
	sample-bt --engine stap --compile-only -r "$KVER" -a -k -d |
		sed -n '/^# stap /{ s/ [^ ]*[/]on-cpu[.]stp .*//; s/.* --suppress-handler-errors//; s/ -r [^ ]*//; p; q; }'
}

# lab_tracepoints: lets stap compile the headers of this kernel's tracepoints, which it keeps. On a very busy machine it may fail to compile
# one, and remembers that the header has no tracepoints.
lab_tracepoints() {
	lab_knows_tracepoints || rm -f "$HOME"/.systemtap/cache/*/tracequery_*
	lab_knows_tracepoints || echo 'stap knows no tracepoints of this kernel' >&2
}

# shellcheck disable=SC2046 # see lab_stap
lab_knows_tracepoints() {
	stap -p2 -r "$KVER" $(lab_runtime) -e 'probe kernel.trace("sched_switch") { exit() }' >/dev/null 2>&1
}

# lab_types: lets stap compile the kernel's headers whose types our scripts use. It knows a module by the build-ids of what it has made of
# these headers; of two tests side by side, each would make its own, and one would not find its module again.
# shellcheck disable=SC2046 # see lab_stap
lab_types() {
	stap -p2 -r "$KVER" $(lab_runtime) -e 'probe begin {
		println(@cast(0, "task_struct", "kernel<linux/sched.h>")->pid, @cast(0, "signal_struct", "kernel<linux/sched/signal.h>")->nr_threads,
			@cast(0, "mm_struct", "kernel<linux/mm_types.h>")->map_count, @cast(0, "pt_regs", "kernel<asm/ptrace.h>")->ip)
	}' >/dev/null || echo 'stap knows no types of this kernel' >&2
}

# An option of stap for tests that count every event: a probe waits up to 1 s for a lock. The emulator runs one CPU at a time, so a CPU that
# holds a lock may stand still for longer than the 1 ms after which a probe is skipped.
lab_lock_wait=-DMAXTRYLOCK=100000

# lab_record ARG…: one sample-bt command for both runs. prepare only compiles, without options that do not matter there, and stops the
# target meanwhile, which would take a processor from the compilers. Emulated probes always use too much time, so they have no limit.
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

# lab_module NAME ARG…: the same with a module of this name, so that stap in the guest does not search its cache, which takes half a minute
# there. Options of the module (-F, --stacks) are optional in the guest, or not allowed.
lab_module() {
	lab_ko=$LAB_WORK/$1.ko
	shift
	case $LAB_PART in
	prepare) lab_record -o "$lab_ko" "$@" ;;
	*) sample-bt --module "$lab_ko" "$@" ;;
	esac
}

# lab_signal SIGNAL: sends SIGNAL to $target and its children, if there is a target
lab_signal() {
	[ -z "${target-}" ] || { pkill "-$1" -P "$target"; kill "-$1" "$target"; } 2>/dev/null || :
}

# lab_start COMMAND…: starts a target in the background and returns when it is at work: $target is its process, $T/target.out its output
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

# lab_keep FILE…: copies files to build/guest/SUITE/out/NAME.files, where they can be inspected
lab_keep() {
	mkdir -p "/lab/out/$LAB_NAME.files"
	cp -R "$@" "/lab/out/$LAB_NAME.files/"
}

# guest_main [prepare]: runs the test; the last line of its script
guest_main() {
	LAB_NAME=$(basename "$0" .sh)
	LAB_PART=${1:-in_guest}
	LAB_WORK=/lab/made/$LAB_NAME
	export LAB_PART LAB_WORK
	mkdir -p "$LAB_WORK"
	"$LAB_PART"
}
