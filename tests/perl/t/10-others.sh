#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# 10-others: the perls of Debian's other releases, with and without debug file, and mixed stacks.
set -u
. "$TOP/tests/perl/lib.sh"

. "$TOP/tests/roots.sh"

# A release of Debian, its perl unpacked into a folder.
other() {
	if ! perl_root "$1"; then
		skip "$1" "$no_root"
	elif ! runs perl -e 1; then
		skip "$1" "needs root"
	else
		both "$1" "$root" /usr/bin/perl
		situations "$1, mixed" "$root" --mixed /usr/bin/perl
	fi
}

other trixie
other sid
