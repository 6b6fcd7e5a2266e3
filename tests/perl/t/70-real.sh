#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# 70-real: programs by other authors, compared with a sampler within them; the rest of these programs is tested by hand, see
# tests/perl/real.
# tier: all
set -u
. "$TOP/tests/perl/lib.sh"

judged "$here/real" podchecker cloc
