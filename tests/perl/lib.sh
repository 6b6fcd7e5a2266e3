# SPDX-License-Identifier: GPL-2.0-or-later
# perl/lib.sh: sourced by tests/perl/t/*.sh. Needs TOP and BIN, which tests/run sets.

. "$TOP/tests/lib.sh"
. "$TOP/tests/record.sh"
bin=${BIN%/*}
here=$TOP/tests/perl
programs=$TOP/tests/programs
LC_ALL=C
export LC_ALL

recorder() {
	"$bin/pl-sample-bt" --engine bpf "$@"
}

# pl_record OPTION…: one recording, a. 2 GHz or 20 MHz, each gives the samples that its CPU time does.
pl_record() {
	record a "$@"
	[ "$status" = 0 ] || tail -n 5 "$T/a.err" | note
}

# part_of ERE: of the samples of the last recording, in per cent
part_of() {
	share "$T/a.folded" "$1"
}

# situations NAME ROOT "OPTIONS" PERL…: the whole program, by that perl, in ROOT ("" or a folder)
situations() {
	name=$1 root=$2 options=$3
	shift 3
	work=$(mktemp -d "$root/tmp/flametap.XXXXXX") || return
	inside=${work#"$root"}
	cp "$programs/situations.pl" "$work"
	: >"$work/out"
	# shellcheck disable=SC2086
	${root:+chroot "$root"} "$@" "$inside/situations.pl" "$inside/s" 100 ${fork:-} >"$work/out" 2>"$work/errors" &
	target=$!
	until_true 60 grep -q '^ready' "$work/out"
	pids=$(sed -n 's/^ready //p' "$work/out" | tr ' ' ,)
	# shellcheck disable=SC2086
	begin_record a -p "$pids" -t 3600 $options
	: >"$work/s.go"
	end_record
	wait "$target" 2>/dev/null
	check_eq "$name: exit" 0 "$status"
	[ "$status" = 0 ] || note "$T/a.err"
	# shellcheck disable=SC2046
	judged "$programs/situations-judge" $(echo "$options" | grep -e '^--mixed') "$work/s" "$T/a.rec" "$name, "
	rm -rf "$work"
}

# both NAME ROOT PERL: with its debug file, if there is one, and in a system without
both() {
	situations "$1" "$2" '' "$3"
	case $(known_by "$2" "$3") in
	*debug*) ;;
	*)
		skip "$1: debug file" 'not installed'
		return
		;;
	esac
	judged unshare -m sh -c 'mount -t tmpfs tmpfs "$1" && shift && exec "$@"' sh "$2/usr/lib/debug" "$here/without-debug" "$1" "$2" "$3"
}

# known_by ROOT PERL: what --check says of it
known_by() {
	${1:+chroot "$1"} "$2" -e 'sleep 100' &
	sleeper=$!
	await_start $sleeper
	"$bin/pl-sample-bt" --engine bpf --check -p $sleeper 2>&1 | sed -n 's/.*, known by //p'
	kill $sleeper
	wait $sleeper 2>/dev/null
}
