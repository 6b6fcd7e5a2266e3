#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# terminal.pl COMMAND…: runs COMMAND on a terminal of its own (pty(7)), which closes when this program ends, however it ends.
use strict;
use warnings;
use POSIX qw(setsid);

my ($TIOCSPTLCK, $TIOCGPTN) = (0x40045431, 0x80045430);    # asm-generic/ioctls.h

open my $master, '+<', '/dev/ptmx' or die "ptmx: $!\n";
my $number = pack 'i', 0;
ioctl($master, $TIOCSPTLCK, $number) or die "unlock: $!\n";
ioctl($master, $TIOCGPTN, $number) or die "number: $!\n";
my $path = '/dev/pts/' . unpack 'i', $number;

my $pid = fork // die "fork: $!\n";
if (!$pid) {
	setsid;
	open my $terminal, '+<', $path or die "$path: $!\n";    # the first one it opens becomes its terminal
	close $master;
	open STDIN, '<&', $terminal;
	open STDOUT, '>&', $terminal;
	open STDERR, '>&', $terminal;
	exec @ARGV or die "$ARGV[0]: $!\n";
}
1 while sysread $master, my $said, 4096;
waitpid $pid, 0;
