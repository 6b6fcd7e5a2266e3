# SPDX-License-Identifier: GPL-2.0-or-later
# evals.pl: without end, code that is made, runs for a moment, and is gone with its names, files and statements; and some that
# stays. There is nothing else than what tests/perl/t lists.
use strict;
use warnings;
no warnings 'once';

sub short { 1 for 1 .. 3000 }
sub makes {
	my $n = shift;
	eval "#line 1 \"made$n.pl\"
		sub made$n { short() } my \$sub = sub { short(); 1 };
		made$n(); \$sub->();
		undef &made$n; delete \$main::{made$n};
		1" or die;
}
sub stays { short() for 1 .. 3 }
for (my $n = 1; ; $n++) {
	makes($n);
	stays();
}
