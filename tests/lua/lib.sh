# SPDX-License-Identifier: GPL-2.0-or-later
# lua/lib.sh: sourced by tests/lua/t/*.sh. Needs TOP and BIN, which tests/run sets.

. "$TOP/tests/lib.sh"
. "$TOP/tests/record.sh"
bin=${BIN%/*}
here=$TOP/tests/lua
programs=$TOP/tests/programs
LC_ALL=C
export LC_ALL

recorder() {
	"$bin/lj-sample-bt" --engine bpf "$@"
}

# situations NAME ROOT "OPTIONS" MODE LUA…: the whole program, by that lua, in ROOT ("" or a folder); MODE: its compiler is on or off
situations() {
	name=$1 root=$2 options=$3 mode=$4
	shift 4
	work=$(mktemp -d "$root/tmp/flametap.XXXXXX") || return
	inside=${work#"$root"}
	cp "$programs/situations.lua" "$work"
	: >"$work/out"
	${root:+chroot "$root"} "$@" "$inside/situations.lua" "$inside/s" 100 "$mode" >"$work/out" 2>"$work/errors" &
	target=$!
	until_true 120 grep -q '^ready' "$work/out" || not_ok "$name: the program" "does not begin: $(head -n 1 "$work/errors")"
	pid=$(sed -n 's/^ready //p' "$work/out")
	# shellcheck disable=SC2086
	begin_record a -p "$pid" -t 3600 $options
	: >"$work/s.go"
	end_record
	wait "$target" 2>/dev/null || not_ok "$name: the program" "exit $?: $(head -n 1 "$work/errors")"
	check_eq "$name: exit" 0 "$status"
	[ "$status" = 0 ] || note "$T/a.err"
	# shellcheck disable=SC2046
	judged "$programs/situations-judge" --lua $(echo "$options" | grep -e '^--mixed') "$work/s" "$T/a.rec" "$name, "
	rm -rf "$work"
}

# both NAME ROOT LUA…: with the compiler and without
both() {
	name_of=$1 root_of=$2
	shift 2
	situations "$name_of, interpreted" "$root_of" '' off "$@"
	situations "$name_of, compiled" "$root_of" '' on "$@"
}

# make_host: $program is the host, linked to the library in $root
make_host() {
	program=/tmp/host.$(sha256sum <"$here/host.c" | cut -c 1-8)
	[ ! -x "$root$program" ] || return 0
	cc -O1 -rdynamic -I"$(dirname "$(find "$root/usr/include" -name lua.h | head -n 1)")" -o "$root$program.$$" "$here/host.c" \
		"$(find "$root/usr/lib" -name 'libluajit-5.1.so.2' | head -n 1)" 2>"$T/cc" && mv "$root$program.$$" "$root$program"
}
