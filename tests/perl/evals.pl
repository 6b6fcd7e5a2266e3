# SPDX-License-Identifier: GPL-2.0-or-later
# evals.pl: without end, evaluates code that runs for a moment and is freed with its names, files and statements; some of it
# stays. It has no other frames than the ones that tests/perl/t lists.
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
