#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# 70-real: programs that others wrote, against a sampler within them.
# tier: all
set -u
. "$TOP/tests/perl/lib.sh"

# Programs that others wrote; the rest of them by hand, see there.
real() {
	judged "$here/real" podchecker cloc
}

real
