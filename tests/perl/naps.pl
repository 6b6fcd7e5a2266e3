# SPDX-License-Identifier: GPL-2.0-or-later
# naps.pl: prints "ready PID"; when it has read a line, it waits at several places in turn, twelve times at each. At its end it prints
# "MICROSECONDS MICROSECONDS STACK" for each place: how long it asked to wait, and how long it waited by its own clock.
use strict;
use warnings;
use Time::HiRes qw(clock_gettime CLOCK_MONOTONIC usleep);

my (%asked, %slept);
$| = 1;

# naps STACK NAP: reads the clock right before and after the nap
sub naps {
	my ($stack, $nap, $us) = @_;
	$stack = "main;main::all;main::naps;$stack";
	my $before = clock_gettime(CLOCK_MONOTONIC);
	$nap->($us);
	$slept{$stack} += clock_gettime(CLOCK_MONOTONIC) - $before;
	$asked{$stack} += $us;
}

sub selects { select undef, undef, undef, $_[0] / 1e6 }
sub sleeps { usleep($_[0]) }
sub sorts { my @sorted = sort { usleep($_[0]); 0 } 1, 2 }
sub all {
	naps('main::selects', \&selects, 5_000);
	naps('main::sleeps;Time::HiRes::usleep', \&sleeps, 12_000);
	naps('main::sorts;Time::HiRes::usleep', \&sorts, 8_000);
}

print "ready $$\n";
<STDIN>;
all() for 1 .. 12;
printf "%d %.0f %s\n", $asked{$_}, $slept{$_} * 1e6, $_ for sort keys %slept;
