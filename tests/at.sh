# SPDX-License-Identifier: GPL-2.0-or-later
# at.sh: functions for tests of --at, whose target is $HITS, the program tests/programs/hits.c. They need record.sh and, from bpf/lib.sh or
# guest.sh, the way to start a target.

# begin_at NAME WORDS ARG…: records the program, which does nothing before the recording has begun
begin_at() {
	at_name=$1
	at_words=$2
	shift 2
	: >"$T/target.out"
	# shellcheck disable=SC2086 # words
	"$HITS" wait $at_words >"$T/target.out" 2>&1 &
	target=$!
	until_true grep -q spinning "$T/target.out" || note "$T/target.out"
	begin_record "$at_name" -p "$target" "$@"
	kill -USR1 "$target"
	end_record
}

# at NAME WORDS ARG…: the same, and checks that nothing is lost
at() {
	begin_at "$@"
	note "$T/$at_name.err"
	check_eq "$at_name: exit code" 0 "$status"
	check "$at_name: nothing is lost" grep -q ' kept, 0 lost' "$T/$at_name.err"
}

# counts NAME ERE N: checks that the stacks ERE have N hits
counts() {
	check_eq "$1: $2" "$3" "$(weight "$T/$1.folded" "^$2\$")"
}
