# SPDX-License-Identifier: GPL-2.0-or-later
# situations.sh: functions for tests that record programs/situations.pl, situations.lua or situations.php, also in the guests. These programs go through
# situations and know their stack in each of them. Sourced after record.sh. Variables that the test sets before:
#	language         perl (the default), lua, php or python
#	perl, forks      the program perl (default: the one in PATH); "later" to fork once more, later
#	php, python      the program for PHP, for Python
#	luajit, mode     the program for Lua; on or off, whether it compiles
#	lua_libraries    the folder of its libraries, if they are not the system's
#	by_callers       not empty if functions have the names that their callers use: SystemTap's scripts read no source files
#	as_command       not empty to record from its first instruction on instead of attaching to it

language=perl
programs=${TOP:+$TOP/tests}
programs=${programs:-/lab}/programs

# situations NAME ROOT MS OPTION…: records the program, which works for MS milliseconds in each situation, with the interpreter in ROOT (""
# or a folder), again and again until each situation was seen and it is decided (see sequential in lib.sh) whether the
# recorded stacks are the stacks that the program had.
situations() {
	name=$1 root=$2 ms=$3
	shift 3
	decided=more right=0 wrong=0 judges=''
	[ "$language" = perl ] || judges=--$language
	case " $* " in *' --mixed '*) judges="$judges --mixed" ;; esac
	rm -f "$T/$name.unseen"
	until_true situations_decide "$@" || :
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

situations_decide() {
	one_run "$@" && judge_run || return 0
	[ "$decided" = bad ] || { [ "$decided" = good ] && [ ! -s "$T/$name.unseen" ]; }
}

# one_run OPTION…: makes a recording, and $T/$name.moments with what the program prints about itself
one_run() {
	work=$(mktemp -d "$root/tmp/flametap.XXXXXX") || return
	in_root=${work#"$root"}
	case $language in
	perl) program="${perl:-perl} $in_root/situations.pl $in_root/s $ms ${forks-}" ;;
	php) program="$php -n $in_root/situations.php $in_root/s $ms" ;;
	python) program="$python $in_root/situations.py $in_root/s $ms" ;;
	lua) program="${lua_libraries:+env LD_LIBRARY_PATH=$lua_libraries }$luajit $in_root/situations.lua $in_root/s $ms $mode"
		;;
	esac
	program="${root:+chroot $root }$program"
	[ "$language" != lua ] || [ -n "${by_callers-}" ] || program="env DEFINED=1 $program" # the roots have no env
	cp "$programs"/situations.[pl]* "$work"
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

ready_or_gone() {
	grep -q '^ready' "$work/out" || ! kill -0 "$target" 2>/dev/null
}

attach() {
	# shellcheck disable=SC2086 # words without blanks
	$program >"$work/out" 2>"$work/errors" &
	target=$!
	# PUC Lua in a guest takes some minutes
	until_true ready_or_gone
	grep -q '^ready' "$work/out" || not_ok "$name: the program" "does not begin: $(head -n 1 "$work/errors")"
	begin_record "$name" "$@" -p "$(sed -n 's/^ready //p' "$work/out" | tr ' ' ,)"
	: >"$work/s.go"
	wait "$target" || not_ok "$name: the program" "exit $?: $(head -n 1 "$work/errors")"
	end_record
}

# judge_run: adds the last run to $right, $wrong and $decided, and removes the situations that were seen from $T/$name.unseen
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

# check_mistakes LANGUAGE: checks that the judge finds each mistake in recordings that are forged from the program's output in $T/s
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
