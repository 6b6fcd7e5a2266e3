#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# perl: Perl stacks by real SystemTap, with modules that were built without a particular perl: a program that knows its own stack at each
# moment, its workers, threads and 1,000 calls deep; where Perl waits; and a user's own script.
# roots: perl-trixie
# tier: all
set -eu
. /lab/guest.sh
. /lab/record.sh
. /lab/situations.sh

prepare() {
	lab_start perl /lab/programs/work.pl 600
	lab_record -F 100 --perl -p "$target" -o "$LAB_WORK/p.ko"
	lab_record -F 100 --perl -k -a -o "$LAB_WORK/all.ko"
	lab_record --script off-cpu --perl -k -p "$target" -o "$LAB_WORK/off.ko"
	lab_finish
	lab_start perl /lab/programs/situations.pl "$T/s"
	until_true grep -q '^ready' "$T/target.out"
	lab_record -F 100 --mixed --perl -p "$target" -o "$LAB_WORK/mixed.ko"
	kill $(sed -n 's/^ready //p' "$T/target.out")
	lab_finish
	cat >"$LAB_WORK/own.stp" <<-'END'
		global texts
		probe kernel.trace("sched_process_fork")
		{
			if (pid() != target() || perl_backtrace() in texts)
				next
			texts[perl_backtrace()] = perl_backtrace_text()
			perl_print_backtrace()
			printf("%s at %s\n", perl_sub(), perl_statement())
			exit()
		}
		probe end
		{
			foreach (id in texts)
				print(texts[id])
			println("end")
		}
	END
	(cd "$LAB_WORK" && stap -p4 -r "$KVER" -m perl_own -I /usr/local/share/flametap/tapsets/vm -I /usr/local/share/flametap/tapsets/perl own.stp >/dev/null)
}

recorder() {
	sample-bt --module "$LAB_WORK/$module.ko" "$@"
}

# Where Perl waits, with the kernel's part; in a recording of all processes, stacks of processes without Perl say so.
waits() {
	cat >"$T/waits.pl" <<-'END'
		sub naps { select undef, undef, undef, 0.05 }
		sub sorts { my @sorted = sort { naps(); 0 } 1, 2 }
		while (1) {
			sorts();
			1 for 1 .. 100_000;
		}
	END
	lab_start perl "$T/waits.pl"
	module=off
	expect_record off 0 --script off-cpu --perl -k -p "$target" -t 4
	check 'off: where it waits' grep -qE '^main;main::sorts;main::naps;.*_\[k\];.*_\[k\][; ]' "$T/off.folded"
	check_eq 'off: nothing else' '' "$(grep -vE '^main(;main::sorts(;main::naps)?)?[; ]' "$T/off.folded")"
	sh -c 'while :; do :; done' &
	other=$!
	module=all
	expect_record all 0 --perl -k -a -t 4
	kill $other
	check 'all: Perl' grep -qE '^perl;main [0-9]+$' "$T/all.folded"
	check 'all: no Perl' grep -qE '^sh;\[perl: not running\] [0-9]+$' "$T/all.folded"
	lab_finish
	lab_keep "$T"/off.* "$T"/all.*
}

# number NAME: prints which number of a layout it is, counted from 1
number() {
	echo $(($(sed -n "s/^@define PERL_$1 %( \([0-9]*\) %)/\1/p" /usr/local/share/flametap/tapsets/perl/perl.stpm) + 1))
}

# own VALUE…: prints the output of the user's own script for forks.pl, with these variables; it ends with the first fork
own() {
	timeout 300 staprun -R -x "$target" "$LAB_WORK/perl_own.ko" "$@" >"$T/own.out" 2>"$T/own.err" || :
	cat "$T/own.out"
	lab_keep "$T/own.err"
}

own_script() {
	cat >"$T/forks.pl" <<-'END'
		sub forks { my $pid = fork; exit unless $pid; waitpid $pid, 0 }
		sub works { for my $n (1, 2) { my @sorted = sort { forks();
			0 } 1, 2 } }
		while (1) {
			eval { works() };
			select undef, undef, undef, 0.1;
		}
	END
	lab_start perl "$T/forks.pl"
	sample-bt --engine stap --perl -p "$target" --module "$LAB_WORK/p.ko" -d >"$T/described"
	values=$(sed -n 's/^# staprun .*[.]ko //p' "$T/described")
	frames="main::forks $T/forks.pl:1
main::works $T/forks.pl:2
(eval) $T/forks.pl:5
main $T/forks.pl:5"
	said="$(echo "$frames" | sed 's/^/ /')
main::forks at $T/forks.pl:1
$frames
end"
	# shellcheck disable=SC2086
	check_eq "a user's own script" "$said" "$(own $values)"
	# the layout of older perls, which did not chain their frames
	unchained=$(echo "$values" | awk -F. -v OFS=. -v a="$(number si_cxsubix)" -v b="$(number cx_oldsubix)" '{ $a = $b = "ffff"; print }')
	# shellcheck disable=SC2086
	check_eq "a user's own script, frames that are not chained" "$said" "$(own $unchained)"
	lab_finish
}

in_guest() {
	module=p
	situations situations '' 100 --perl
	module=mixed
	situations mixed '' 100 --mixed --perl
	module=p
	situations trixie /lab/roots/perl-trixie 60 --perl
	waits
	own_script
}

guest_main "$@"
