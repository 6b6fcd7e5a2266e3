# SPDX-License-Identifier: GPL-2.0-or-later
# perl_workload.pl TO FROM [table]: goes through known moments of a program. At each, the stack that perl's own caller reports is compared
# with the stack that the walker on the other side of two pipes (see perl_stack.c) reads from this process. Result lines as in tests/lib.sh.
use strict;
use warnings;

my ($to, $from, $mode) = @ARGV;
open my $requests, '>', $to or die "$to: $!";
open my $answers, '<', $from or die "$from: $!";
select((select($requests), $| = 1)[0]);
$| = 1;
$mode = $mode ? "$mode " : '';

sub checkpoint {
	my ($name) = @_;
	local ($!, $?, $@);
	my (@names, @places);
	for (my $i = 0; my @c = \(caller $i); $i++) {
		# perl 5.22 and newer return the format itself, which cannot be copied
		push @names, ref $c[3] eq 'FORMAT' ? 'main::NULL' : ${$c[3]};
		utf8::encode($names[-1]) if utf8::is_utf8($names[-1]);
		push @places, "${$c[1]}:${$c[2]}";
	}
	push @names, 'main';
	# one statement in one line, because the stack may be read as soon as the request is sent
	my $got = do { local $/ = "\n\n"; print {$requests} "$mode$$ " . syscall(186) . "\n" and <$answers> };
	unshift @places, __FILE__ . ':' . (__LINE__ - 1);
	report($name, [map "$names[$_] $places[$_]", 0 .. $#names], [split /\n/, $got]);
}

sub report {
	my ($name, $want, $got) = @_;
	my $n = @$want > @$got ? @$want : @$got;
	for my $i (0 .. $n - 1) {
		my ($w, $g) = map { defined $_->[$i] ? $_->[$i] : 'nothing' } $want, $got;
		$g =~ s/^(\S*::__ANON__)\[[^][]+:\d+\] /$1 /;
		next if $w eq $g;
		print "not ok perl/$name: frame $i of $n is '$w' for perl, '$g' for the walker\n";
		return;
	}
	print "ok perl/$name\n";
}

checkpoint('top level');

sub plain { checkpoint('plain call') }
sub calls { plain(@_) }
calls(1);

{
	package Some::Class;
	sub new { bless {}, shift }
	sub method { main::checkpoint('method') }
	our $AUTOLOAD;
	sub AUTOLOAD { $AUTOLOAD =~ /DESTROY/ or main::checkpoint('AUTOLOAD') }
}
Some::Class->new->method;
Some::Class->new->nothing;

sub target { checkpoint('goto &sub') }
sub jumps { goto &target }
sub around { jumps(1) }
around();

my $closure = do { my $n = 1; sub { $n++; checkpoint('closure') } };
$closure->();
{
	package Other;
	(sub { main::checkpoint('anonymous in a package') })->();
}
*main::alias = \&plain;
alias();
*Imported::here = \&Some::Class::method;
Imported::here();

sub compare { checkpoint('sort sub') if $a == 1; $a <=> $b }
my @sorted = sort compare 1, 2;
my $once = 0;
@sorted = sort { checkpoint('sort block') unless $once++; $a <=> $b } 3, 2, 1;
sub sorts { my $n = 0; sort { inside() unless $n++; $a <=> $b } 2, 1 }
sub inside { checkpoint('sub called from a sort block') }
@sorted = sorts();
my @mapped = map { grep { checkpoint('map and grep'); 1 } $_ } 1;

{
	package Tied;
	sub TIESCALAR { bless [], shift }
	sub FETCH { main::checkpoint('tie FETCH'); 1 }
	sub STORE { main::checkpoint('tie STORE') }
}
tie my $tied, 'Tied';
sub reads { return $tied + 1 }
reads();
$tied = 1;

{
	package Overloaded;
	use overload '+' => \&add, '""' => sub { main::checkpoint('overload of strings'); 'x' };
	sub add { main::checkpoint('overload of +'); 1 }
}
sub adds { my $o = bless []; bless($o, 'Overloaded'); my $s = $o + 1; "$o" }
adds();

{
	package Destroyed;
	sub DESTROY { main::checkpoint('DESTROY') }
}
sub drops { my $o = bless [], 'Destroyed'; return 1 }
drops();

sub matches { 'aab' =~ /a(?{ checkpoint('(?{})') })ab/ }
matches();
my $regex = do { use re 'eval'; my $code = '(?{ checkpoint("(?{}) at run time") })'; qr/b$code/ };
sub matches_again { 'ab' =~ $regex }
matches_again();
sub substitutes { my $s = 'aa'; $s =~ s/a/checkpoint('s\/\/\/e'), 'b'/e }
substitutes();

eval { calls(1); checkpoint('eval block') };
eval "checkpoint('eval string');\n\ncalls(2); 1" or die;
eval { eval "eval { checkpoint('evals in evals') }" };
eval { eval { die "gone\n" }; checkpoint('after die') };

my $file = "$ENV{T}/Required.pm";
open my $module, '>', $file or die;
print $module "package Required;\nmain::checkpoint('require');\nBEGIN { main::checkpoint('BEGIN in require') }\n",
	"sub import { main::checkpoint('import') }\nINIT { }\n1;\n";
close $module;
push @INC, $ENV{T};
sub loads { require Required; Required->import }
loads();
delete $INC{'Required.pm'};
{ no warnings; eval 'use Required; 1' or die; }

{
	local $SIG{USR1} = sub { checkpoint('signal') };
	local $SIG{__WARN__} = sub { checkpoint('__WARN__') };
	local $SIG{__DIE__} = sub { checkpoint('__DIE__') };
	kill USR1 => $$;
	warn 'warned';
	eval { die 'died' };
}

sub recurses { my $n = shift; $n ? recurses($n - 1) : checkpoint('recursion 1,000 deep') }
{ no warnings 'recursion'; recurses(1000) }
sub loops { for my $i (1) { while (1) { { { if ($i) { checkpoint('loops and blocks') } } } last } } }
loops();
sub lists { return wantarray ? checkpoint('list') : checkpoint('scalar') }
my ($list, $scalar) = (lists(), scalar lists());

sub text { checkpoint('format'); 'x' }
format NULL =
@<<<<
text()
.
sub writes { open NULL, '>', '/dev/null' or die; write NULL; close NULL }
writes();

eval <<'END' or die $@ if $] >= 5.034;
use feature 'try';
no warnings;
sub tries { try { checkpoint('try'); die "x\n" } catch ($e) { checkpoint('catch') } }
tries();
1
END
eval <<'END' or die $@ if $] >= 5.022; # older perls report their names as unknown
use feature 'lexical_subs', 'state';
no warnings;
my sub lexical { checkpoint('lexical sub') }
lexical();
sub holds { my $n = 1; state sub kept { checkpoint('state sub') } kept() }
holds();
1
END
eval <<'END' or die $@ if $] >= 5.036;
use feature 'defer';
no warnings;
sub defers { defer { checkpoint('defer') } 1 }
defers();
1
END

{ no strict 'refs'; *{"Made::$_"} = sub { checkpoint('sub put into a glob') } for 'up'; }
Made::up();

# This comes before a package is deleted: at the end of a thread that has a copy of a deleted package's remains, perl 5.42 may panic.
if (eval { require threads }) {
	for my $n (1 .. 4) {
		threads->create(sub { recurses_in($n) })->join;
	}
	my @waiting = map { my $n = $_; threads->create(sub { sleep 1 while !-e "$ENV{T}/go"; 1 }) } 1 .. 3;
	sub in_thread { checkpoint("one of 5 threads") }
	threads->create(\&in_thread)->join;
	open my $go, '>', "$ENV{T}/go";
	$_->join for @waiting;
	checkpoint('main thread among them');
}

{
	package Gone;
	sub call { main::checkpoint('sub of a deleted package') }
}
my $gone = \&Gone::call;
{ no strict 'refs'; undef %{'Gone::'} }
$gone->();
{ no warnings; eval 'sub Redefined::sub { my $me = shift; undef &Redefined::sub if 0; checkpoint("redefined") } 1'; }
Redefined::sub();
{ local *__ANON__ = 'named'; (sub { local *__ANON__ = 'named'; checkpoint('__ANON__ renamed') })->() }
eval 'use utf8; package Päck; sub füü { main::checkpoint("names that fit Latin-1") } füü(); 1' or die $@ if $] >= 5.016;
eval 'use utf8; package Пакет; sub функ { main::checkpoint("names that do not") } функ(); 1' or die $@ if $] >= 5.020;

if (eval { require List::Util }) {
	my $first = List::Util::first(sub { checkpoint('callback from C'); 1 }, 1);
	my $sum = List::Util::reduce(sub { checkpoint('reduce'); 1 }, 1, 2);
}

defined(my $child = fork) or die;
unless ($child) {
	calls('in a forked child');
	checkpoint('forked child');
	exit 0;
}
waitpid $child, 0;

sub recurses_in { my $n = shift; $n ? recurses_in($n - 1) : checkpoint('thread') }

BEGIN { }
END { checkpoint('END') }
