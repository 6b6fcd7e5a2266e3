# SPDX-License-Identifier: GPL-2.0-or-later
# situations.pl FILE [MS [SECOND-FORK]]: a program that goes through situations. In each it tells its stack, as perl's own caller
# reports it, and then keeps a processor busy in these very frames for about MS (150) milliseconds. situations-judge judges its recordings.
#
# It prints "ready PID…", its own and two workers' PIDs, and goes on when FILE.go exists. With SECOND-FORK it also forks later.
# FILE gets "subs", its subs' names, and then a line for each situation, with fields separated by tabs:
#	NAME PID TID LEAF FRAME…
# FRAMEs are "function file:line", innermost first; LEAF is a C function that may be called on top of them, or "-". Bytes up to blank,
# backslash and DEL are \\xHH.
#
# With REPLAY=1 in the environment each situation is also a message for tests/replay/take.
#
# Rules for situations: a sub without name has all of its code in one line, at which the judge takes it to begin;
# nothing else takes noticeable time; between begins and ends only C functions are called that are given as LEAF.
use strict;
use warnings;
no warnings qw(recursion void);
use List::Util ();
use Digest::SHA ();
use constant CLOCK_THREAD_CPUTIME_ID => 3;

our ($file, $ms, $forks) = @ARGV;
our ($n, $digests, $sums, $clock) = (200_000, 5, 100, "\0" x 16);
our ($bytes, @numbers) = ('x' x 100_000, 1 .. 1000);
our $replay = $ENV{REPLAY} && open REPLAY, '>', '/dev/null';
my ($name, $leaf, @frames);
$ms ||= 150;

sub cpu { # returns the CPU time of this thread in nanoseconds
	syscall(228, CLOCK_THREAD_CPUTIME_ID, $clock);
	my ($s, $ns) = unpack 'qq', $clock;
	return $s * 1e9 + $ns;
}

sub escaped {
	my ($text) = @_;
	utf8::encode($text) if utf8::is_utf8($text);
	$text =~ s/([\x00-\x20\\\x7f])/sprintf '\\x%02x', ord $1/ge;
	return $text;
}

# begins NAME [LEAF]: remembers the caller's stack
sub begins {
	($name, $leaf) = (@_, '-');
	my (@names, @places);
	for (my $i = 0; my @c = \(caller $i); $i++) {
		# perl 5.22 and newer return a format itself, which cannot be copied
		push @names, ref $c[3] eq 'FORMAT' ? 'main::NULL' : ${$c[3]};
		push @places, "${$c[1]}:${$c[2]}";
	}
	shift @names;
	push @names, 'main';
	@frames = map escaped($names[$_]) . ' ' . escaped($places[$_]), 0 .. $#names;
	syswrite REPLAY, message() if $replay;
}

# A sub without name is named after its place, except for code that a regex got at run time: its beginning is not known. A C function
# is on top, and in its library.
sub message {
	my @stack = @frames;
	s/^(\S*::__ANON__) ((?!\(eval).*)/$1\[$2] $2/ for @stack;
	my ($library, $place) = ("$leaf.so", @stack);
	unshift @stack, $leaf . substr $place, index $place, ' ' if $leaf ne '-';
	$library =~ s/::\w+[.]so/.so/;
	return join("\t", "replay: moment $name", $leaf eq '-' ? '-' : $library =~ /(\w+[.]so)/, @stack) . "\n";
}

sub ends {
	syswrite OUT, join("\t", $name, $$, syscall(186), $leaf, @frames) . "\n";
}

# rounds SUB: returns how many calls of it take at least MS, by the fastest of some calls, because nothing makes a call faster than it is
sub rounds {
	my ($work) = @_;
	my $least;
	for (1 .. 7) {
		my $begun = cpu();
		$work->();
		my $took = cpu() - $begun;
		$least = $took if !$least || $took < $least;
	}
	return $ms * 1e6 / $least;
}

# subs PACKAGE: returns the names of the subs in it and in the packages below
sub subs {
	my ($package) = @_;
	no strict 'refs';
	my @below = grep /::$/ && $_ ne 'main::', keys %$package;
	return ((map "$package$_", grep !/::$/ && defined &{"$package$_"}, keys %$package), map subs($package eq 'main::' ? $_ : "$package$_"), @below);
}

open OUT, '>>', $file or die "situations: cannot open $file: $!\n";
syswrite OUT, join("\t", 'subs', map escaped($_), subs('main::')) . "\n";
$n = 1 + int($n * rounds(sub { 1 for 1 .. $n }));
syswrite REPLAY, sprintf "replay: found perl %vd\n", $^V if $replay;
$digests = 1 + int($digests * rounds(sub { Digest::SHA::sha1_hex($bytes) for 1 .. $digests }));
$sums = 1 + int($sums * rounds(sub { List::Util::sum(@numbers) for 1 .. $sums }));

# ---- processes

sub waits { select undef, undef, undef, 0.02 until -e "$file.go" }
sub works { begins('a worker'); 1 for 1 .. $n; ends() }
sub works_too { begins('another worker'); 1 for 1 .. $n; ends(); works() }

sub forks {
	my ($work) = @_;
	my $pid = fork;
	die "situations: cannot fork: $!\n" unless defined $pid;
	return $pid if $pid;
	$work->();
	exit;
}

my $parent = $$;
our $threads = eval { require threads };
our $has_try = $] >= 5.034;
our $has_names = eval { require Sub::Util }; # since 5.22
$| = 1;
my @workers = (forks(sub { waits(); works() }), forks(sub { waits(); works_too() }));
print "ready $$ @workers\n";
waits();

# ---- calls

begins('top level'); 1 for 1 .. $n; ends();

sub plain { begins($_[0]); 1 for 1 .. $n; ends() }
sub calls { plain(@_) }
calls('plain call');

{
	package Some::Class;
	sub new { bless {}, shift }
	sub method { main::begins('method'); 1 for 1 .. $n; main::ends() }
	our $AUTOLOAD;
	sub AUTOLOAD {
		return if $AUTOLOAD =~ /DESTROY/;
		main::begins('AUTOLOAD'); 1 for 1 .. $n; main::ends();
	}
	package Some::Heir;
	our @ISA = 'Some::Class';
}
Some::Class->new->method;
Some::Heir->new->nothing;

sub target { begins('goto &sub'); 1 for 1 .. $n; ends() }
sub jumps { goto &target }
sub around { jumps(1) }
around();

sub closures { my $m = shift; return sub { begins('closures'); 1 for 1 .. $n; ends(); $m++ } }
$_->() for map closures($_), 1, 2;
{
	package Other;
	sub calls { (sub { main::begins('anonymous in a package'); 1 for 1 .. $n; main::ends() })->() }
}
Other::calls();
*main::alias = \&plain;
alias('alias');

sub recurses { my $left = shift; return recurses($left - 1) if $left; begins('deep recursion'); 1 for 1 .. $n; ends() }
recurses($replay ? 60 : 999);

sub lists { begins(wantarray ? 'list context' : 'scalar context'); 1 for 1 .. $n; ends(); 1 }
my ($list) = lists();
my $scalar = lists();
sub loops { OUTER: for my $i (1, 2) { while (1) { { begins('loops and blocks'); 1 for 1 .. $n; ends(); last OUTER } } } }
loops();

# ---- subs that the interpreter calls

sub compare { begins('sort by a sub'); 1 for 1 .. $n; ends(); $a <=> $b }
sub sorts { my @sorted = sort compare 1, 2; @sorted }
sorts();
sub sorts_by_block {
	my $calls = 0;
	my @sorted = sort { begins('sort by a block'); 1 for 1 .. $n; ends(); $a <=> $b } 2, 1;
	@sorted = sort { inside(); $a <=> $b } 2, 1;
}
sub inside { begins('a sub below a sort block'); 1 for 1 .. $n; ends() }
sorts_by_block();
sub maps { map { grep { begins('map and grep'); 1 for 1 .. $n; ends(); 1 } $_ } 1 }
my @mapped = maps();
sub finds { List::Util::first { begins('List::Util::first'); 1 for 1 .. $n; ends(); 1 } 1, 2 }
finds();
sub reduces { List::Util::reduce(\&reduced, 1, 2) }
sub reduced { begins('List::Util::reduce by a sub'); 1 for 1 .. $n; ends(); $a + $b }
reduces();

{
	package Tied;
	sub TIESCALAR { bless [], shift }
	sub FETCH { main::begins('tie FETCH'); 1 for 1 .. $n; main::ends(); 1 }
	sub STORE { main::begins('tie STORE'); 1 for 1 .. $n; main::ends() }
	sub TIEHANDLE { bless [], shift }
	sub PRINT { main::begins('tie PRINT'); 1 for 1 .. $n; main::ends() }
}
tie my $tied, 'Tied';
sub reads { return $tied + 1 }
reads();
$tied = 1;
tie *TIED, 'Tied';
sub prints { print TIED 1 }
prints();

{
	package Overloaded;
	use overload
		'+' => \&add,
		'""' => sub { main::begins('overload of strings'); 1 for 1 .. $n; main::ends(); 'x' },
		'<=>' => sub { main::begins('overload below sort'); 1 for 1 .. $n; main::ends(); 0 };
	sub add { main::begins('overload of +'); 1 for 1 .. $n; main::ends(); 1 }
}
our $overloaded = bless [], 'Overloaded';
sub adds { my $sum = $overloaded + 1; "$overloaded" }
adds();
sub compares { my @sorted = sort { $a <=> $b } $overloaded, $overloaded }
compares();

{
	package Destroyed;
	sub DESTROY { main::begins('DESTROY'); 1 for 1 .. $n; main::ends() }
}
sub drops { my $object = bless [], 'Destroyed'; return 1 }
drops();

sub matches { 'aab' =~ /a(?{ begins('code in a regex'); 1 for 1 .. $n; ends() })ab/ }
matches();
our $regex = do { use re 'eval'; my $code = '(?{ below_regex() })'; qr/b$code/ };
sub below_regex { begins('a sub below a regex made at run time'); 1 for 1 .. $n; ends() }
sub matches_again { 'ab' =~ $regex }
matches_again();
sub substitutes { my $s = 'aa'; $s =~ s/a/begins('s\/\/\/e'); 1 for 1 .. $n; ends(); 'b'/e }
substitutes();

{
	local $SIG{USR1} = sub { begins('signal'); 1 for 1 .. $n; ends() };
	local $SIG{__WARN__} = sub { begins('__WARN__'); 1 for 1 .. $n; ends() };
	local $SIG{__DIE__} = sub { begins('__DIE__'); 1 for 1 .. $n; ends() };
	sub signals { kill USR1 => $$; 1 }
	signals();
	warn 'warned';
	eval { die 'died' };
}

sub text { begins('a sub below a format'); 1 for 1 .. $n; ends(); 'x' }
format NULL =
@<<<< @<<<<
do { begins('format'); 1 for 1 .. $n; ends(); 1 }, text()
.
sub writes { open NULL, '>', '/dev/null' or die; write NULL; close NULL }
writes();

# ---- eval and require

sub evaluates { eval { calls('eval block'); begins('in an eval block'); 1 for 1 .. $n; ends() } }
evaluates();
eval "\nbegins('eval string'); 1 for 1 .. \$n; ends();\n\ncalls('below an eval string'); 1" or die;
eval { eval "eval { begins('evals in evals'); 1 for 1 .. \$n; ends() }" };
eval { eval { die "gone\n" }; begins('after die'); 1 for 1 .. $n; ends() };
eval 'BEGIN { begins("BEGIN"); 1 for 1 .. $n; ends() } 1' or die;
eval "#line 7 \"a named; file\\\\\"\nsub named { begins('#line'); 1 for 1 .. \$n; ends() } named(); 1" or die;

our $module = "$file.pm";
open my $text, '>', $module or die "situations: cannot write $module: $!\n";
print $text <<'END';
package Required;
main::begins('require'); 1 for 1 .. $main::n; main::ends();
BEGIN { main::begins('BEGIN in require'); 1 for 1 .. $main::n; main::ends() }
sub import { main::begins('import'); 1 for 1 .. $main::n; main::ends() }
1;
END
close $text;
sub loads { require $module; Required->import }
loads();

eval <<'END' or die $@ if $has_try;
use feature 'try';
no warnings;
sub tries {
	try { begins('try'); 1 for 1 .. $n; ends(); die "x\n" }
	catch ($e) { begins('catch'); 1 for 1 .. $n; ends() }
}
tries();
1
END
eval <<'END' or die $@ if $] >= 5.022; # older perls report their names as unknown
use feature 'lexical_subs', 'state';
no warnings;
my sub lexical { begins('lexical sub'); 1 for 1 .. $n; ends() }
lexical();
sub keeps { state sub kept { begins('state sub'); 1 for 1 .. $n; ends() } kept() }
keeps();
1
END
eval <<'END' or die $@ if $] >= 5.036;
use feature 'defer';
no warnings;
sub defers { defer { begins('defer'); 1 for 1 .. $n; ends() } 1 }
defers();
1
END

# ---- names

{ no strict 'refs'; *{'Made::up'} = sub { begins('sub put into a glob'); 1 for 1 .. $n; ends() }; }
Made::up();
Sub::Util::set_subname("Hostile;pack age::na;me\n\\x 1", sub { begins('hostile name'); 1 for 1 .. $n; ends() })->() if $has_names;
eval q{use utf8; package Grüße; sub süß { main::begins('name in UTF-8'); 1 for 1 .. $n; main::ends() } süß(); 1} or die;
our $long = 'l' x 240;
eval "package P$long; sub s$long { main::begins('long name'); 1 for 1 .. \$n; main::ends() } s$long(); 1" or die;

# ---- C functions

sub digests { begins('digest in C', 'Digest::SHA::sha1_hex'); Digest::SHA::sha1_hex($bytes) for 1 .. $digests; ends() }
digests();
sub sums { begins('sum in C', 'List::Util::sum'); List::Util::sum(@numbers) for 1 .. $sums; ends() }
sums();

# ---- threads

sub in_thread { my $which = shift; $which ? in_thread($which - 1, @_) : begins("thread @_"); return if $which; 1 for 1 .. 2 * $n; ends() }
if ($threads) {
	$_->join for map threads->create(\&in_thread, $_, $_), 1 .. 4;
}

sub forked { works() }
waitpid forks(\&forked), 0 if $forks;
waitpid $_, 0 for @workers;

our $last = bless [], 'Last';
{
	package Last;
	sub DESTROY { main::begins('DESTROY at the very end'); 1 for 1 .. $n; main::ends() }
}
END {
	if ($$ == $parent) { begins('END'); 1 for 1 .. $n; ends() }
}
