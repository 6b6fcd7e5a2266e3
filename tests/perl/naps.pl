# SPDX-License-Identifier: GPL-2.0-or-later
# naps.pl: says "ready PID", and then waits, now here, now there, for about three seconds in all. At its end it prints "MICROSECONDS STACK"
# for each place, as its own clock has it.
use strict;
use warnings;
use Time::HiRes qw(clock_gettime CLOCK_MONOTONIC usleep);

my %slept;
$| = 1;

# naps STACK NAP: the time is taken right beside the nap
sub naps {
	my ($stack, $nap, $us) = @_;
	my $before = clock_gettime(CLOCK_MONOTONIC);
	$nap->($us);
	$slept{"main;main::all;main::naps;$stack"} += clock_gettime(CLOCK_MONOTONIC) - $before;
}

sub selects { select undef, undef, undef, $_[0] / 1e6 }
sub sleeps { usleep($_[0]) }
sub sorts { my @sorted = sort { usleep($_[0]); 0 } 1, 2 }
sub all {
	naps('main::selects', \&selects, 50_000);
	naps('main::sleeps;Time::HiRes::usleep', \&sleeps, 120_000);
	naps('main::sorts;Time::HiRes::usleep', \&sorts, 80_000);
}

print "ready $$\n";
<STDIN>;
all() for 1 .. 12;
printf "%.0f %s\n", $slept{$_} * 1e6, $_ for sort keys %slept;
