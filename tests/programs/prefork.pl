# SPDX-License-Identifier: GPL-2.0-or-later
# prefork.pl [WORKERS]: a server whose WORKERS (8) forked processes compute in turns, until SIGTERM ends it.
use strict;
use warnings;

my @workers;

sub work {
	my %seen;
	while (1) {
		$seen{$_ % 100} .= sprintf '%d%s', $_, join ',', sort { $a <=> $b } map { $_ * 7 % 13 } 1 .. 8 for 1 .. 2000;
		%seen = ();
		select undef, undef, undef, 0.0005;
	}
}

for (1 .. $ARGV[0] // 8) {
	my $pid = fork // die "fork: $!\n";
	work() unless $pid;
	push @workers, $pid;
}
$SIG{TERM} = sub { kill 'KILL', @workers; exit };
sleep 1 while 1;
