#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# 40-operators: the operator that perl executes, as a label.
set -u
. "$TOP/tests/perl/lib.sh"

cat >"$T/busy.pl" <<'END'
my ($text, @numbers) = ('a' x 32, map $_ * 7919 % 1_000_003, 1 .. 1_000_000);
sub matches { my $found = $text =~ /^(?:a|aa)+\d$/ }
sub sorts { my $sorted = () = sort @numbers }
sub blocks { my $sorted = () = sort { $a <=> $b || 0 } @numbers }
$ARGV[0]->() while 1;
END

# busy SUB: runs a sub that spends nearly all of its time in one operator
busy() {
	perl "$T/busy.pl" "$1" &
	target=$!
	await_start $target
}

busy matches
record_until_seen matches '^match;main;main::matches ' -p $target --by op
record_until_seen mixed '^match;.*;main;main::matches;' -p $target --mixed --by op
record plain -t 0.2 -p $target
check_eq 'without --with: no label' 0 "$(grep -ac '^label [0-9]* op ' "$T/plain.rec")"
record_until_seen where '^main;main::matches ' -p $target --where op=match
kill $target

busy sorts
record_until_seen sorts '^sort;main;main::sorts ' -p $target --by op
check 'a label of the recording' grep -qa '^label [0-9]* op sort$' "$T/sorts.rec"
kill $target

# between two calls of its block, perl has no operator
busy blocks
record_until_seen blocks '^sort;main;main::blocks ' -p $target --by op
check_eq 'blocks: an operator in each sample' 0 "$(grep -c '^\[no op\];main;main::blocks' "$T/blocks.folded")"
kill $target
wait 2>/dev/null
