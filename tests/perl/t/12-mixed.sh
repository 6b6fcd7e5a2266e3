#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# 12-mixed: Perl's stacks between frames of C, for a program that already runs.
set -u
. "$TOP/tests/perl/lib.sh"

# The C functions that are called by a sub, or call it.
perl "$here/mixed.pl" &
target=$!
while read -r sub frames; do
	record_until_seen "$sub" "main;main::$sub;(.*;)?$frames" --mixed -p $target
done <<'END'
system_calls Perl_pp_sysread;.*read;entry_SYSCALL_64.*_\[k\]
digests Digest::SHA::sha256_hex;Perl_pp_entersub;
sorts Perl_pp_sort;.*Perl_runops_standard;main::by_number
matches Perl_pp_match;
adds Perl_pp_add;.*;Number::__ANON__\[.*:[0-9]+\]
END
kill $target
wait $target 2>/dev/null || :

situations mixed '' 20 --mixed
