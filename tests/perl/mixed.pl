# SPDX-License-Identifier: GPL-2.0-or-later
# mixed.pl: says "ready PID"; when it has got a line, it works for a second and a half each in functions in C, in the kernel, and in what C calls
# back. Then it prints "NANOSECONDS SUB": the CPU time of each sub.
use strict;
use warnings;
use Digest::SHA ();

my $clock = "\0" x 16;
my ($text, $buffer) = ('abc 123 ' x 2000, '');
my @words = map { ($_ * 7919) % 10007 } 1 .. 300;
open my $zero, '<', '/dev/zero' or die "mixed: cannot open /dev/zero: $!\n";

sub cpu { # nanoseconds
	syscall(228, 2, $clock);
	my ($s, $ns) = unpack 'qq', $clock;
	return $s * 1e9 + $ns;
}

sub system_calls { sysread $zero, $buffer, 1 << 20 for 1 .. 20 }
sub digests { Digest::SHA::sha256_hex($text) for 1 .. 40 }
sub by_number { $a <=> $b }
sub sorts { my @sorted = sort by_number @words for 1 .. 2 }
sub matches { () = $text =~ /(\w+) (?:\d+x|\d+ )/g }
{
	package Number;
	use overload '+' => sub { my $n = $_[1]; $n++ for 1 .. 300; $n };
}
our $number = bless [], 'Number';
sub adds { my $sum; $sum = $number + 1 for 1 .. 60 }

my @all = (\&system_calls, \&digests, \&sorts, \&matches, \&adds);
my @names = qw(system_calls digests sorts matches adds);
my %spent;
$| = 1;
print "ready $$\n";
<STDIN>;
for my $i (0 .. $#all) {
	my $begun = cpu();
	my $end = $begun + 1.5e9;
	$all[$i]->() while cpu() < $end;
	$spent{$names[$i]} = cpu() - $begun;
}
printf "%.0f main::%s\n", $spent{$_}, $_ for @names;
