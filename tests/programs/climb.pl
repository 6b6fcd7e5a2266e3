# SPDX-License-Identifier: GPL-2.0-or-later
# climb.pl [DEPTH [WIDTH]]: like climb.c, in Perl: computes below DEPTH (10) calls of WIDTH (64) different subs in varying order, until
# SIGTERM ends it. Then it prints a line for each 20 ms of undisturbed running: seconds since the epoch; units of work a second; the
# percentage of the time in which it stood still, and how often it did so a second.
use strict;
use warnings;
no warnings 'recursion';
use constant {CLOCK_MONOTONIC => 1, CLOCK_REALTIME => 0, WINDOW => 20e6, GAP => 6000}; # nanoseconds; no piece takes as long as a gap

my ($depth, $width) = ($ARGV[0] // 10, $ARGV[1] // 64);
my ($clock, $usage) = ("\0" x 16, "\0" x 144);
my (@subs, @windows, $gap, $gaps, $ended);
my $x = 1;

sub now {
	syscall(228, $_[0], $clock);
	my ($s, $ns) = unpack 'qq', $clock;
	return $s * 1e9 + $ns;
}

# returns how often this process lost its processor
sub switches {
	syscall(98, 0, $usage);
	my @numbers = unpack 'q18', $usage;
	return $numbers[16] + $numbers[17];
}

# returns the pieces of work, and how long each took
sub leaf {
	my $last = now(CLOCK_MONOTONIC);
	for (1 .. 100) {
		$x = ($x * 69069 + 1) & 0xffffffff for 1 .. 10;
		syscall(228, CLOCK_MONOTONIC, $clock);
		my ($s, $ns) = unpack 'qq', $clock;
		my $at = $s * 1e9 + $ns;
		if ($at - $last > GAP) {
			$gap += $at - $last;
			$gaps++;
		}
		$last = $at;
	}
	return $last;
}

for my $n (0 .. $width - 1) {
	$subs[$n] = eval "sub climb$n { my \$left = shift; return leaf() unless \$left;\n\$x = (\$x * 69069 + $n) & 0xffffffff;\n"
		. 'return $subs[($x >> 16) % $width]->($left - 1) } \&climb' . $n or die;
}

$SIG{TERM} = sub { $ended = 1 };
until ($ended) {
	my ($units, $begun, $switched, $at) = (0, now(CLOCK_MONOTONIC), switches());
	($gap, $gaps) = (0, 0);
	do {
		$at = $subs[0]->($depth - 2); # main is one, leaf another
		$units++;
	} until $at - $begun >= WINDOW || $ended;
	my $took = $at - $begun;
	next if switches() != $switched;
	push @windows, sprintf "%.6f %.3f %.4f %.1f\n", now(CLOCK_REALTIME) / 1e9, $units * 1e9 / $took, 100 * $gap / $took, $gaps * 1e9 / $took;
}
print @windows;
