# SPDX-License-Identifier: GPL-2.0-or-later
# mixed.pl: works without end in C functions, in the kernel, and in subs that C calls back.
use strict;
use warnings;
use Digest::SHA ();

my ($text, $buffer) = ('abc 123 ' x 2000, '');
my @words = map { ($_ * 7919) % 10007 } 1 .. 300;
open my $zero, '<', '/dev/zero' or die "mixed: cannot open /dev/zero: $!\n";

sub system_calls { sysread $zero, $buffer, 1 << 20 for 1 .. 20 }
sub digests { Digest::SHA::sha256_hex($text) for 1 .. 40 }
sub by_number { $a <=> $b }
sub sorts { my @sorted = sort by_number @words for 1 .. 20 }
sub matches { () = $text =~ /(\w+) (?:\d+x|\d+ )/g for 1 .. 5 }
{
	package Number;
	use overload '+' => sub { my $n = $_[1]; $n++ for 1 .. 300; $n };
}
our $number = bless [], 'Number';
sub adds { my $sum; $sum = $number + 1 for 1 .. 300 }

while (1) {
	$_->() for \&system_calls, \&digests, \&sorts, \&matches, \&adds;
}
