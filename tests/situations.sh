# SPDX-License-Identifier: GPL-2.0-or-later
# situations.sh: sourced, after record.sh, by tests in the guest that record programs/situations.pl, which knows its Perl stack at each
# moment.

# judged NAME: what the judge says, with what this emulated machine cannot be blamed for: fewer samples, as the emulator gives its ticks
# late when it waits for a processor; what the program does between its situations, which takes no time elsewhere; and a stack in 200
# whose page was being moved.
judged() {
	awk '/^# .*all: / { all = $0; sub(/.*all: /, "", all) }
		/, (places|on the way|perl: not running|C alone)(:|$)/ { print "# " $0; next }
		match($0, /: [0-9]+ samples, not [0-9]+ to [0-9]+$/) {
			split(substr($0, RSTART + 2), n, " ")
			if (n[1] && n[1] <= n[6]) { print "ok" substr($0, 7, RSTART - 7); next }
		}
		match($0, /nothing but what there was: [0-9]+/) && substr($0, RSTART + 28, RLENGTH - 28) * 200 <= all + 0 {
			print "ok" substr($0, 7, RSTART + 19)
			next
		}
		{ print }' "$T/$1.verdict"
}

# situations NAME ROOT MS OPTION…: situations.pl by the perl in ROOT ("" or a folder); longer, if one of its situations had no tick
situations() {
	name=$1 root=$2 ms=$3
	shift 3
	for longer in 1 3 9; do
		one_run $((ms * longer)) "$@"
		grep -q ': 0 samples, not' "$T/$name.judged" || break
	done
	! grep -q '^not ok' "$T/$name.judged" || : >"$T_top/failed"
	cat "$T/$name.judged"
	check "$name: judged" grep -q "^ok $name, perl: inconsistent" "$T/$name.judged"
	lab_keep "$T/$name".*
}

# one_run MS OPTION…: leaves $T/$name.judged
one_run() {
	run_ms=$1
	shift
	rm -rf "$root/tmp/$name"
	mkdir -p "$root/tmp/$name"
	cp /lab/programs/situations.pl "$root/tmp/$name"
	${root:+chroot "$root"} perl "/tmp/$name/situations.pl" "/tmp/$name/s" "$run_ms" >"$T/$name.said" 2>&1 &
	target=$!
	until_true 60 grep -q '^ready' "$T/$name.said" || not_ok "$name: the program" 'does not begin'
	begin_record "$name" "$@" -p "$(sed -n 's/^ready //p' "$T/$name.said" | tr ' ' ,)"
	: >"$root/tmp/$name/s.go"
	wait "$target" || not_ok "$name: the program" "exit $?"
	end_record
	note "$T/$name.err"
	check_eq "$name: exit code" 0 "$status"
	cp "$root/tmp/$name/s" "$T/$name.moments"
	case $* in *--mixed*) mixed=--mixed ;; *) mixed='' ;; esac
	perl /lab/programs/situations-judge $mixed "$T/$name.moments" "$T/$name.rec" "$name, " >"$T/$name.verdict" 2>&1 || :
	judged "$name" >"$T/$name.judged"
}
