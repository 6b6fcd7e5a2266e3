#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# 30-moments: stacks that change at any moment, that are gone a moment later, that are too deep.
set -u
. "$TOP/tests/perl/lib.sh"

# Children that are forked while their parent's perl is still being looked at, and after that.
early_child() {
	for run in 1 2 3 4 5; do
		pl_record -- perl -e 'sub burn { my $e = (times)[0] + 0.15; 1 until (times)[0] > $e } sub child { burn() }
			if (!fork) { child(); exit } burn(); wait'
		near "early child, $run: in the parent" "$(part_of 'main;main::burn$')" 50 20
		near "early child, $run: in the child" "$(part_of 'main;main::child;main::burn$')" 50 20
	done
}

# Hardly a moment at which nothing changes.
busy() {
	perl "$TOP/tests/layout/perl_busy.pl" &
	target=$!
	await_start $target
	pl_record -p $target -t 4
	kill $target
	wait $target 2>/dev/null || :
	check_eq 'at any moment: nothing that cannot be' '' \
		"$(sed 's/ [0-9]*$//' "$T/a.folded" | grep -vxE '\[perl: (inconsistent|not running)\]' | grep -Evf "$TOP/tests/layout/perl_busy.stacks" | head -n 5)"
	near 'at any moment: inconsistent, per cent' "$(part_of '\[perl: inconsistent\]$')" 0 1.5
	near 'at any moment: not running, per cent' "$(part_of '\[perl: not running\]$')" 0 0.2
}

# Code that is gone a moment later: by its own name and place, or by none.
evals() {
	pl_record -- perl "$here/evals.pl"
	made='main::made[0-9]+|main::__ANON__\[made[0-9]+[.]pl:1\]|\[unknown\]'
	check_eq 'evals: nothing that cannot be' '' "$(sed 's/ [0-9]*$//' "$T/a.folded" | grep -F 'main::makes;(eval);' |
		grep -avxE "main;main::makes;[(]eval[)];($made)(;main::short)?" | head -n 5)"
	# a tick may come while a file's name is being freed
	near 'evals: files that there are not' "$(sed -n 's/^name [0-9]* [^ ]* 0 [^ ]* \([^ ]*\) [0-9]*$/\1/p' "$T/a.rec" | sort -u |
		grep -avcxE 'made[0-9]+[.]pl|[(]eval.x20[0-9]+[)]|-|.*/(evals[.]pl|[a-z]+[.]pm)')" 0 2
	check 'evals: most have names' grep -qE 'made[0-9]+;main::short' "$T/a.folded"
	unnamed=$(part_of 'main::makes;[(]eval[)];(main::__ANON__|\[unknown\])(;main::short)?$')
	near 'evals: nameless, per cent' "$unnamed" 0 2
}

# Deeper than there is room: said.
deep() {
	perl -e 'no warnings; sub r { my $n = shift; if ($n) { r($n - 1) } else { 1 while 1 } } r(3000)' &
	target=$!
	await_start $target
	for mode in '' --mixed; do
		# shellcheck disable=SC2086
		pl_record $mode -p $target -t 1
		near "3,000 subs${mode:+, $mode}: cut, per cent" "$(part_of '\[truncated: depth\]')" 100 2
	done
	kill $target
	wait $target 2>/dev/null || :
}

early_child
busy
evals
deep
