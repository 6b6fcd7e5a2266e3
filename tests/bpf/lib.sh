# SPDX-License-Identifier: GPL-2.0-or-later
# bpf/lib.sh: sourced by tests/bpf/t/*.sh after lib.sh. Needs TOP, BIN (sample-bt) and CASES (the
# compiled cases), which tests/run sets.

. "$TOP/tests/record.sh"

# missing CASE: why it was not built; false: it was
missing() {
	sed -n "s/^$1 //p" "$CASES/missing" | grep .
}

# start COMMAND…: a case in the background: $target. It is where it will stay when this returns. It ends with this shell.
start() {
	: >"$T/target.out"
	setpriv --pdeathsig TERM "$@" >"$T/target.out" 2>&1 &
	target=$!
	until_true 60 spinning || note "$T/target.out"
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

# expect_gdb NAME RECORDING: gdb sees the same frames in each thread of $target, which still stays where it was
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

# objects_before: remembers what there is of BPF; objects_left: what there is more for a while and no process holds, by kind
objects_before() {
	"$TOP/build/probe" list | sort >"$T/objects"
}

objects_left() {
	"$TOP/build/probe" list | sort | comm -13 "$T/objects" - >"$T/objects.more"
	for _ in 1 2 3 4 5 6; do
		[ -s "$T/objects.more" ] || return 0
		cat /proc/[0-9]*/fdinfo/* 2>/dev/null | sed -n 's/^\(prog\|map\|link\)_id:[ \t]*/\1 /p' | sort -u >"$T/objects.held"
		# maps inside of maps have no descriptor: whose are they, when somebody else records, too
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
