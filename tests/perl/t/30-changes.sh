#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# 30-changes: stacks that change at any moment, that are gone a moment later, that are too deep; threads that exit; and children that are
# forked while their parent's perl is still being examined.
set -u
. "$TOP/tests/perl/lib.sh"

# Short calls without end, in all ways that change stacks; the list has all stacks that can occur. While a stack changes, none may be found.
busy_stacks=$(sed 's/^^//; s/[$]$//; s/eval\[)\]/eval[^)]*[)]/g' "$TOP/tests/layout/perl_busy.stacks")

decide() {
	record_until_decided "$1" "^($2)" -p $target
}

perl "$TOP/tests/layout/perl_busy.pl" &
target=$!
await_start $target
decide 'at any moment' "$busy_stacks|\[perl: (inconsistent|not running)\]"
kill $target

perl -e 'no warnings; sub r { my $n = shift; if ($n) { r($n - 1) } else { 1 while 1 } } r(3000)' &
target=$!
await_start $target
decide '3,000 subs: cut' '\[truncated: depth\].*'
kill $target

# a frame has its own name and place, or none
perl "$here/evals.pl" &
target=$!
await_start $target
made='main::made[0-9]+|main::__ANON__\[made[0-9]+[.]pl:1\]|\[unknown\]|main::__ANON__'
decide 'code that is gone' "main;main::makes(;([(]eval[^)]*[)]|require made[0-9]+[.]pl)(;($made)(;main::short)?)?)?|main(;main::stays(;main::short)?)?|\[perl: (inconsistent|not running)\]"
kill $target
wait

# a process that executes another program has new memory at once, and the old memory is freed for a while: no interpreter runs
cat >"$T/executes.pl" <<'END'
my $size = 1e8; # a constant would be made when it is compiled
my $memory = 'x' x $size;
exec $^X, $0;
END
perl "$T/executes.pl" &
target=$!
await_start $target
decide 'executes' 'main|\[perl: not running\]'
kill $target
wait

# a thread that has given up its memory in its exit runs no Perl; these are functions that the kernel calls after that
if perl -Mthreads -e 1 2>/dev/null; then
	perl -Mthreads -e '$| = 1; print "spinning\n"; threads->create(sub { 1 })->join while 1' >"$T/threads" &
	target=$!
	until_true [ -s "$T/threads" ] || :
	later='exit_(sem|shm|files|fs|notify|task_namespaces|task_stack_account)|switch_task_namespaces|cgroup_exit|do_task_dead'
	later="do_exit_\[k\];($later)_\[k\][; ]"
	record_until_seen 'a thread that exits' "$later" -k -F 4999 -p $target
	check_eq 'a thread that exits: runs no Perl' 0 \
		"$(grep -E "$later" "$T/a thread that exits.folded" | grep -cv '^\[perl: not running\];')"
	kill $target
	wait
else
	skip 'a thread that exits' 'perl has no threads'
fi

forks='sub burn { alarm 2; 1 while 1 } sub child { burn() } if (!fork) { child() } burn()'
record_until_seen 'an early child: in the parent' 'main;main::burn ' -- perl -e "$forks"
record_until_seen 'an early child: in the child' 'main;main::child;main::burn ' -- perl -e "$forks"
