#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# 20-situations: a program that knows its own stacks, by the perls of this system; the judge is judged first.
set -u
. "$TOP/tests/perl/lib.sh"

# The judge has to be right with what is right, and to find what is not.
test_judge() {
	touch "$T/s.go"
	perl "$programs/situations.pl" "$T/s" 20 >/dev/null 2>&1
	for mistake in none line frame few stranger inconsistent cut; do
		perl "$programs/situations-forge" "$T/s" $mistake >"$T/forged"
		"$programs/situations-judge" "$T/s" "$T/forged" '' >"$T/results"
		case $?$mistake in
		0none | 1[!n]*) ok "judge: $mistake" ;;
		*) not_ok "judge: $mistake" "$(grep -c '^not ok' "$T/results") mistakes found" ;;
		esac
	done
}

# A program that is none, and is linked to libperl.
embedded() {
	core=$(perl -MConfig -e 'print "$Config{archlibexp}/CORE"')
	library=$(ldconfig -p | sed -n "s/.*libperl[.]so[.]$(perl -e 'printf "%d.%d", $] =~ /(\d+)[.]0*(\d\d)/').* => //p" | head -n 1)
	if [ -z "$library" ] || [ ! -f "$core/perl.h" ]; then
		skip embedded 'no libperl.so, or no headers'
	elif cc -O1 -w -D_GNU_SOURCE -D_REENTRANT -D_FILE_OFFSET_BITS=64 -I"$core" -o "$T/embed" "$TOP/tests/layout/perl_embed.c" "$library" 2>"$T/cc"; then
		situations embedded '' '' "$T/embed"
		situations 'embedded, mixed' '' --mixed "$T/embed"
	else
		not_ok embedded 'does not compile'
		head -n 5 "$T/cc" | note
	fi
}

# What it starts, and what it forks: recorded from its first statement on.
started() {
	: >"$T/s.go"
	rm -f "$T/s"
	pl_record -- perl "$programs/situations.pl" "$T/s" 100 later
	check_eq 'command: exit' 0 "$status"
	judged "$programs/situations-judge" "$T/s" "$T/a.rec" 'command, '
}

test_judge
both here '' perl
fork=later situations children '' --children perl
situations 'with kernel stacks' '' -k perl
if command -v debugperl >/dev/null; then situations debugperl '' '' debugperl; else skip debugperl 'not installed'; fi
embedded
started
