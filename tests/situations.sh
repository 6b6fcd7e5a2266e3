# SPDX-License-Identifier: GPL-2.0-or-later
# situations.sh: sourced, after record.sh, by tests in the guest that record programs/situations.pl, which knows its Perl stack at each
# moment, or situations.lua. $language: perl (the default) or lua; then $luajit is the program, with
# libraries in $lua_libraries, if any, and $mode on or off: its compiler.

language=perl

# judged NAME: what the judge says, with what this emulated machine cannot be blamed for: fewer samples, as the emulator gives its ticks
# late when it waits for a processor; what the program does between its situations, which takes no time elsewhere; a stack in 200
# whose page was being moved; and, as emulated ticks come where blocks of code end, at calls and exits, twice as many unequal leaves of Lua,
# twice as many stacks of Perl within such a call or exit, and a coroutine in 200 that is being resumed.
judged() {
	awk '/^# .*, all: / { all = $0; sub(/.*, all: /, "", all) }
		/, (places|on the way|(perl|lua): not running|C alone)(:|$)/ { print "# " $0; next }
		match($0, /: [0-9]+ samples, not [0-9]+ to [0-9]+$/) {
			split(substr($0, RSTART + 2), n, " ")
			if (n[1] && n[1] <= n[6]) { print "ok" substr($0, 7, RSTART - 7); next }
		}
		match($0, /nothing but what there was: [0-9]+/) && substr($0, RSTART + 28, RLENGTH - 28) * 200 <= all + 0 {
			print "ok" substr($0, 7, RSTART + 19)
			next
		}
		match($0, /, (equal stacks: (98|99)[.]|stacks with an unequal leaf: 1[.])[0-9]+ %$/) { print "# " $0; next }
		match($0, /, perl: inconsistent: 1[.][0-9]+ %$/) {
			print "# " $0
			print "ok" substr($0, 7, RSTART - 7) ", perl: inconsistent"
			next
		}
		match($0, /, coroutines have their resumers: 0[.][0-4][0-9] % have not$/) { print "# " $0; next }
		{ print }' "$T/$1.verdict"
}

# begin_program ROOT MS: in ROOT ("" or a folder) as the child $target
begin_program() {
	case $language in
	perl) set -- "$1" perl "/tmp/$name/situations.pl" "/tmp/$name/s" "$2" ;;
	lua) set -- "$1" ${lua_libraries:+env "LD_LIBRARY_PATH=$lua_libraries"} "$luajit" "/tmp/$name/situations.lua" "/tmp/$name/s" "$2" "$mode" ;;
	esac
	cp /lab/programs/situations.pl /lab/programs/situations.lua "$1/tmp/$name"
	in_root=$1
	shift
	${in_root:+chroot "$in_root"} "$@" >"$T/$name.said" 2>&1 &
	target=$!
}

# situations NAME ROOT MS OPTION…: the program, by the interpreter in ROOT; longer, if one of its situations had no tick
situations() {
	name=$1 root=$2 ms=$3
	shift 3
	for longer in 1 3 9; do
		one_run $((ms * longer)) "$@"
		grep -q ': 0 samples, not' "$T/$name.judged" || break
	done
	results "$T/$name.judged"
	check "$name: judged" grep -q "^ok $name, $language: inconsistent" "$T/$name.judged"
	lab_keep "$T/$name".*
}

# one_run MS OPTION…: leaves $T/$name.judged
one_run() {
	run_ms=$1
	shift
	rm -rf "$root/tmp/$name"
	mkdir -p "$root/tmp/$name"
	begin_program "$root" "$run_ms"
	until_true 60 grep -q '^ready' "$T/$name.said" || not_ok "$name: the program" 'does not begin'
	begin_record "$name" "$@" -p "$(sed -n 's/^ready //p' "$T/$name.said" | tr ' ' ,)"
	: >"$root/tmp/$name/s.go"
	wait "$target" || not_ok "$name: the program" "exit $?"
	end_record
	note "$T/$name.err"
	check_eq "$name: exit code" 0 "$status"
	cp "$root/tmp/$name/s" "$T/$name.moments"
	judges=''
	case $* in *--mixed*) judges=--mixed ;; esac
	[ "$language" = perl ] || judges="--$language $judges"
	# shellcheck disable=SC2086
	perl /lab/programs/situations-judge $judges "$T/$name.moments" "$T/$name.rec" "$name, " >"$T/$name.verdict" 2>&1 || :
	judged "$name" >"$T/$name.judged"
}
