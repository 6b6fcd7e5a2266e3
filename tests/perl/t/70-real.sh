#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# 70-real: programs that others wrote, against a sampler within them; the rest of them by hand, see there.
# tier: all
set -u
. "$TOP/tests/perl/lib.sh"

judged "$here/real" podchecker cloc
