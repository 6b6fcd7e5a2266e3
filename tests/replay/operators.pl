# SPDX-License-Identifier: GPL-2.0-or-later
# operators.pl: keeps perl in one operator after the other, and tells each of them to tests/replay/take. Their names are perl's own: a sub
# must have the operator that it tells, according to B.
use strict;
use warnings;
use B ();
use List::Util ();

our ($text, @numbers) = ('a' x 25 . 'b', map $_ * 7919 % 10007, 1 .. 400);
our %table = map {($_ => 1)} @numbers;
our ($long, @result, $result) = ('x,' x 20_000);
our $plain = join ',', @numbers;

my @situations = (
	[match => \&matches],
	[subst => \&substitutes],
	[trans => \&translates],
	[sort => \&sorts],
	[sprintf => \&prints],
	[join => \&joins],
	[split => \&splits],
	[reverse => \&reverses],
	[unpack => \&unpacks],
	[keys => \&lists],
	[aassign => \&copies],
	[entersub => \&sums, 'List::Util::sum'],
);

sub matches { tells(); $result = $text =~ /^(?:a|aa)+\d$/ }
sub substitutes { tells(); ($result = $long) =~ s/x/yy/g }
sub translates { tells(); ($result = $long) =~ tr/x/y/ }
sub sorts { tells(); @result = sort @numbers }
sub prints { tells(); $result = sprintf '%05d' x 400, @numbers }
sub joins { tells(); $result = join ';', @numbers }
sub splits { tells(); @result = split /,/, $plain }
sub reverses { tells(); $result = reverse $plain }
sub unpacks { tells(); @result = unpack 'C*', $plain }
sub lists { tells(); @result = keys %table }
sub copies { tells(); @result = @numbers }
sub sums { tells(); $result = List::Util::sum(@numbers) }

my ($operator, @leaf);
open my $replay, '>', '/dev/null' or die;

# tells, before the operator begins, where the caller is then
sub tells {
	my @frames;
	for (my $i = 1; my @c = caller $i; $i++) {
		push @frames, "$c[3] " . place($i - 1);
	}
	my $name = @leaf ? "$leaf[0] " . place(0) . "\t" : '';
	syswrite $replay, "replay: moment $operator\t-\top=$operator\t$name" . join("\t", @frames, 'main ' . place(scalar @frames)) . "\n";
}

sub place { my @c = caller $_[0] + 1; return "$c[1]:$c[2]" }

sub has {
	my ($op, $name) = @_;
	return 1 if $op->name eq $name;
	for (my $kid = $op->flags & B::OPf_KIDS ? $op->first : B::main_root; $$op && $op->flags & B::OPf_KIDS && $$kid; $kid = $kid->sibling) {
		return 1 if has($kid, $name);
	}
	return 0;
}

for (@situations) {
	($operator, my $sub, @leaf) = @$_;
	die "no $operator in this sub" unless has(B::svref_2object($sub)->ROOT, $operator);
	$sub->();
}
