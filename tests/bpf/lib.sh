# SPDX-License-Identifier: GPL-2.0-or-later
# bpf/lib.sh: functions for tests/bpf/t/*.sh, which source it after lib.sh. TOP, BIN (sample-bt) and CASES (the folder of the compiled
# cases) are set by tests/run.

. "$TOP/tests/record.sh"

# missing CASE: prints why CASE was not built, or fails if it was built
missing() {
	sed -n "s/^$1 //p" "$CASES/missing" | grep .
}

# start COMMAND…: starts a case in the background as $target, and returns when it is where it stays. The case ends with this shell.
start() {
	: >"$T/target.out"
	setpriv --pdeathsig TERM "$@" >"$T/target.out" 2>&1 &
	target=$!
	until_true spinning || note "$T/target.out"
}

spinning() {
	grep -q spinning "$T/target.out" || ! kill -0 "$target" 2>/dev/null
}

# finish: ends $target, which may be stopped
finish() {
	kill "$target" 2>/dev/null || :
	kill -CONT "$target" 2>/dev/null || :
	wait "$target" 2>/dev/null || :
}

# expect_gdb NAME RECORDING: checks that gdb sees the same frames in each thread of $target, which is still in the same place
expect_gdb() {
	if ! command -v gdb >/dev/null; then
		skip "$1" 'no gdb'
		return 0
	fi
	"${BIN%/*}/bt-collapse" --threads "$T/$2.rec" >"$T/$2.threads" 2>/dev/null || :
	if "$TOP/tests/bpf/judge-gdb" "$target" "$T/$2.threads" >"$T/$2.gdb" 2>&1; then
		ok "$1"
	else
		not_ok "$1" "$(tail -n 1 "$T/$2.gdb")"
		cut -c1-600 "$T/$2.gdb" | note
	fi
}

# objects_before: remembers the BPF objects of this machine; objects_left: prints by kind which new ones stay although no process holds them
objects_before() {
	"$TOP/build/probe" list | sort >"$T/objects"
}

objects_left() {
	"$TOP/build/probe" list | sort | comm -13 "$T/objects" - >"$T/objects.more"
	for _ in 1 2 3 4 5 6; do
		[ -s "$T/objects.more" ] || return 0
		cat /proc/[0-9]*/fdinfo/* 2>/dev/null | sed -n 's/^\(prog\|map\|link\)_id:[ \t]*/\1 /p' | sort -u >"$T/objects.held"
		# maps inside of maps have no descriptor: if something else records, too, their owner is not known
		if [ -s "$T/objects.held" ]; then sed -i '/^map/d' "$T/objects.more"; fi
		comm -23 "$T/objects.more" "$T/objects.held" >"$T/objects.free"
		"$TOP/build/probe" list | sort | comm -12 "$T/objects.free" - >"$T/objects.more"
		sleep 0.3
	done
	sed 's/ .*//' "$T/objects.more" | sort -u
}

no_objects_left() {
	[ -z "$(objects_left)" ]
}
