# SPDX-License-Identifier: GPL-2.0-or-later
# work.pl [SECONDS]: sorts, matches and counts until the time is over.
use strict;
use warnings;

my $end = time + (shift // 1e9);
my %seen;

sub words {
    return map { join '', map { chr(97 + ($_ * 7919) % 26) } $_ .. $_ + 9 } 1 .. 200;
}

sub in_order {
    return sort { $a cmp $b } @_;
}

sub count {
    for my $word (@_) {
        $seen{$word}++ if $word =~ /([aeiou])[^aeiou]*\1/;
    }
}

while (time < $end) {
    count(in_order(words()));
}
