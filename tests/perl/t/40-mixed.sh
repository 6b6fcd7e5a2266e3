#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# 40-mixed: Perl's stacks within those of C.
set -u
. "$TOP/tests/perl/lib.sh"

# From the script to the system call: each sub's share is that of its CPU time, with what C there is on top of it.
mixed() {
	situations 'here, mixed' '' --mixed perl
	perl "$here/mixed.pl" <"$T/go" >"$T/spent" &
	target=$!
	exec 3>"$T/go"
	until_true 60 grep -q ready "$T/spent"
	begin_record a --mixed -p $target
	echo >"$T/go"
	end_record
	wait $target
	exec 3>&-
	all=$(awk '/main::/ { n += $1 } END { print n }' "$T/spent")
	while read -r sub frames; do
		near "mixed: $sub" "$(part_of "main;main::$sub;(.*;)?$frames")" \
			"$(awk -v all="$all" -v of="main::$sub" '$2 == of { printf "%.2f", 100 * $1 / all }' "$T/spent")" 4
	done <<-'END'
		system_calls Perl_pp_sysread;.*read;entry_SYSCALL_64.*_\[k\]
		digests Digest::SHA::sha256_hex;Perl_pp_entersub;
		sorts Perl_pp_sort;
		matches Perl_pp_match;
		adds Perl_pp_add;.*;Number::__ANON__\[.*:[0-9]+\]
	END
	near 'mixed: sorts call back' "$(part_of 'main::sorts;Perl_pp_sort;.*Perl_runops_standard;main::by_number')" 13 8
}

mkfifo "$T/go"
mixed
