#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# truncated: the target truncates a file that it has mapped. Reading it through a mapping would end the recorder with SIGBUS.
set -eu
. "$TOP/tests/hostile/lib.sh"

chmod 711 "$T_top" "$T"
mkdir "$T/home"
cp "$(ldd /bin/true | sed -n 's/.*=> \(.*libc[^ ]*\).*/\1/p')" "$T/home/library.so"
cp "$(command -v perl)" "$T/home/perl.so"
cp "$T/home/perl.so" "$T/home/perl-fast.so"
chmod 777 "$T/home" "$T/home/"*.so
cp "$CASES/truncated" "$T/home/"

# truncate_loop NAME ARG…: starts a $target that truncates and restores all the time the file that it has mapped
truncate_loop() {
	start spinning "$T/home/truncated" "$T/home/$@"
}

truncate_loop library.so
for how in "-p $target" -a; do
	# shellcheck disable=SC2086 # options
	expect_record "${how%% *}" 0 $how -u -t 1
	expect_samples "${how%% *}"
done
kill $target

# more of a file is read if it contains the interpreter
truncate_loop perl.so
slow=$target
truncate_loop perl-fast.so 1000
# shellcheck disable=SC2016 # of Perl
as_nobody perl -e 'sub busy { my $sum = 0; $sum += $_ for 1 .. 100000; $sum } busy while 1' &
busy=$!
record_until_seen 'perl: samples of a good one' busy -a --perl
check_eq 'perl: exit code' 0 "$status"
record perl-p -p "$slow" --perl -t 1
check "perl-p: exit code $status" test "$status" -le 2
kill $slow $target $busy
