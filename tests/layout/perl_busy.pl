# SPDX-License-Identifier: GPL-2.0-or-later
# Makes short calls without end, in all ways that change stacks, so that there is hardly a moment without a change. All stacks that
# can occur are listed in perl_busy.stacks.
use strict;
use warnings;

{ package T; sub TIESCALAR { bless [] } sub FETCH { 1 } }
{ package O; use overload '+' => sub { 1 }; }
{ package D; sub DESTROY { 1 } }
tie my $tied, 'T';
my $o = bless [], 'O';
my $sub = sub { $_[0] };

sub leaf { 1 }
sub jump { goto &leaf }
sub sorted { my @s = sort { $a <=> $b } 3, 1, 2; @s = sort by 2, 1 }
sub by { $a <=> $b }
sub dies { eval { die } }
sub matches { 'aab' =~ /a(?{ leaf() })b/ }
sub deep { $_[0] ? deep($_[0] - 1) : leaf() }
sub drops { my $d = bless [], 'D'; 1 }
sub all {
	leaf();
	jump();
	sorted();
	dies();
	matches();
	deep(5);
	drops();
	$sub->(1);
	my $n = $tied + 1;
	$n = $o + 1;
	eval { leaf() };
	eval 'leaf()';
}
if ($ENV{REPLAY}) { # for tests/replay/take
	open my $stacks, '<', 'perl_busy.stacks' or die $!;
	open my $null, '>', '/dev/null' or die $!;
	syswrite $null, 'replay: may ' . <$stacks>;
}
all() while 1;
