#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# 15-judge: programs/situations-judge accepts a correct recording, and finds a single mistake in a recording of situations.pl.
set -u
. "$TOP/tests/perl/lib.sh"

touch "$T/s.go"
perl "$programs/situations.pl" "$T/s" 1 >/dev/null 2>&1
check_mistakes perl
