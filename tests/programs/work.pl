# SPDX-License-Identifier: GPL-2.0-or-later
# work.pl [SECONDS]: sorts, matches and counts until the time is over.
use strict;
use warnings;

my $end = time + (shift // 1e9);
my %seen;
while (time < $end) {
    my @words = map { join '', map { chr(97 + ($_ * 7919) % 26) } $_ .. $_ + 9 } 1 .. 200;
    for my $word (sort { $a cmp $b } @words) {
        $seen{$word}++ if $word =~ /([aeiou])[^aeiou]*\1/;
    }
}
