# SPDX-License-Identifier: GPL-2.0-or-later
# situations.sh: sourced, after record.sh, by tests that record programs/situations.pl or situations.lua, which go through situations and
# know their stack in each of them, in the guests, too. Set before:
#	language         perl (the default) or lua
#	perl, forks      the program perl (default: that of PATH); "later": it forks once more, later
#	luajit, mode     the program for Lua; whether it compiles: on or off
#	lua_libraries    the folder of its libraries, if they are not the system's
#	as_command       not empty: it is recorded from its first instruction on, instead of attached to

language=perl
programs=${TOP:+$TOP/tests}
programs=${programs:-/lab}/programs

# situations NAME ROOT MS OPTION…: records the program, which works for MS milliseconds in each situation, by the interpreter in ROOT ("" or a
# folder), again and again, at most 60 s, until each situation was seen and it is decided (see sequential in lib.sh) whether the stacks are
# right, which are those that the program had.
situations() {
	name=$1 root=$2 ms=$3
	shift 3
	decided=more right=0 wrong=0 judges=''
	[ "$language" = perl ] || judges=--lua
	case " $* " in *' --mixed '*) judges="$judges --mixed" ;; esac
	rm -f "$T/$name.unseen"
	situations_end=$(($(date +%s) + 60))
	until [ "$decided" = bad ] || { [ "$decided" = good ] && [ ! -s "$T/$name.unseen" ]; }; do
		one_run "$@" && judge_run || break
		[ "$(date +%s)" -lt "$situations_end" ] || break
	done
	check_eq "$name: exit code" 0 "$status"
	if [ "$decided" = good ]; then
		ok "$name: stacks"
	else
		not_ok "$name: stacks" "$decided: of $((right + wrong)) samples $wrong have a stack that the program never had"
		cat "$T/$name.verdict"
		tail -n 3 "$T/$name.err" | note
	fi
	check_eq "$name: situations without a sample" '' "$(cat "$T/$name.unseen")"
	[ -z "${LAB_NAME-}" ] || lab_keep "$T/$name".*
}

# one_run OPTION…: leaves the recording, and what the program says of itself in $T/$name.moments
one_run() {
	work=$(mktemp -d "$root/tmp/flametap.XXXXXX") || return
	in_root=${work#"$root"}
	case $language in
	perl) program="${perl:-perl} $in_root/situations.pl $in_root/s $ms ${forks-}" ;;
	lua) program="${lua_libraries:+env LD_LIBRARY_PATH=$lua_libraries }$luajit $in_root/situations.lua $in_root/s $ms $mode" ;;
	esac
	program="${root:+chroot $root }$program"
	cp "$programs/situations.pl" "$programs/situations.lua" "$work"
	: >"$work/out"
	if [ -n "${as_command-}" ]; then
		: >"$work/s.go"
		# shellcheck disable=SC2086 # words without blanks
		record "$name" "$@" -- $program
	else
		attach "$@"
	fi
	cp "$work/s" "$T/$name.moments" 2>/dev/null || not_ok "$name: the program" "says nothing: $(head -n 1 "$work/errors")"
	rm -rf "$work"
	[ -s "$T/$name.moments" ]
}

attach() {
	# shellcheck disable=SC2086 # words without blanks
	$program >"$work/out" 2>"$work/errors" &
	target=$!
	# PUC Lua in a guest takes some minutes
	until_true 600 grep -q '^ready' "$work/out" || not_ok "$name: the program" "does not begin: $(head -n 1 "$work/errors")"
	begin_record "$name" "$@" -p "$(sed -n 's/^ready //p' "$work/out" | tr ' ' ,)"
	: >"$work/s.go"
	wait "$target" || not_ok "$name: the program" "exit $?: $(head -n 1 "$work/errors")"
	end_record
}

# judge_run: adds the last run to $right, $wrong and $decided, and takes what was seen from $T/$name.unseen
judge_run() {
	# shellcheck disable=SC2086
	if ! perl "$programs/situations-judge" $judges "$T/$name.moments" "$T/$name.rec" >"$T/$name.verdict" 2>"$T/judge"; then
		not_ok "$name: the judge" "$(head -n 1 "$T/judge")"
		return 1
	fi
	set -- $(head -n 1 "$T/$name.verdict")
	right=$((right + $1)) wrong=$((wrong + $2))
	decided=$(sequential "$right" "$wrong")
	grep '^# samples' "$T/$name.verdict"
	sed -n 's/^unseen //p' "$T/$name.verdict" >"$T/unseen"
	if [ -e "$T/$name.unseen" ]; then
		grep -xFf "$T/unseen" "$T/$name.unseen" >"$T/still" || :
		mv "$T/still" "$T/$name.unseen"
	else
		mv "$T/unseen" "$T/$name.unseen"
	fi
}

# check_mistakes LANGUAGE: the judge finds each mistake in a recording that is made up of what the program said in $T/s
check_mistakes() {
	option=''
	[ "$1" = perl ] || option=--lua
	for mistake in none line frame leaf stranger inconsistent cut unseen; do
		# shellcheck disable=SC2086
		{
			perl "$programs/situations-forge" $option "$T/s" $mistake >"$T/forged"
			perl "$programs/situations-judge" $option "$T/s" "$T/forged" >"$T/verdict"
		}
		found=$(awk 'NR == 1 && $2 { n++ } /^unseen / { n++ } END { print n + 0 }' "$T/verdict")
		case $mistake in
		none) check_eq 'no mistake: found' 0 "$found" ;;
		*) check "mistake: $mistake" [ "$found" -ge 1 ] ;;
		esac
	done
}
