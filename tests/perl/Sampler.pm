# SPDX-License-Identifier: GPL-2.0-or-later
# Sampler: perl -Itests/perl -MSampler=FILE PROGRAM…: a sampler within a program, with which samplers from outside are compared. Every 4 ms
# of CPU time a signal handler notes what perl's own caller reports. At the end FILE gets folded stacks, and a list of the subs that are C
# functions. It samples only the process itself, not the processes that it forks; its PID is in FILE.pid.
# Perl calls the handler between two of its operators, not within one, so the time of a sub's last operator is charged to its caller.
package Sampler;
use strict;
use warnings;
use Time::HiRes ();

my ($file, %seen);
my $pid = $$;

sub take {
	my @names;
	# 0 is this sub, 1 the eval that each handler is called in
	for (my $i = 2; my @c = caller $i; $i++) {
		my ($function) = $c[3];
		push @names, $function;
	}
	$seen{join ';', 'main', reverse @names}++;
}

# The C functions below a package: caller does not tell when they run.
sub in_c {
	my ($package, $known) = @_;
	no strict 'refs';
	return if $known->{$package}++;
	my @found;
	for my $name (keys %$package) {
		if ($name =~ /^(.*)::$/) {
			push @found, in_c($package eq 'main::' ? $name : "$package$name", $known) unless $name eq 'main::';
		} elsif (ref \$package->{$name} eq 'GLOB' && defined *{$package->{$name}}{CODE}) {
			my $sub = B::svref_2object(*{$package->{$name}}{CODE});
			push @found, $sub->GV->STASH->NAME . '::' . $sub->GV->NAME if $sub->XSUB && $sub->GV->isa('B::GV');
		}
	}
	return @found;
}

sub write_out {
	Time::HiRes::setitimer(Time::HiRes::ITIMER_PROF(), 0);
	open my $out, '>', $file or return;
	print $out map "$_ $seen{$_}\n", sort keys %seen;
	print $out "# process $$\n";
	require B;
	print $out map "# in C: $_\n", sort(in_c('main::', {}));
	close $out;
}

sub import {
	(undef, $file) = @_;
	open my $out, '>', "$file.pid" or die "Sampler: cannot write $file.pid: $!\n";
	print $out "$$\n";
	close $out;
	$SIG{PROF} = \&take;
	$SIG{TERM} = sub { exit };
	Time::HiRes::setitimer(Time::HiRes::ITIMER_PROF(), 0.004, 0.004);
}

END { write_out() if defined $file && $$ == $pid }
1;
