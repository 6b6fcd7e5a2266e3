#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# 10-situations: a program that knows its own stacks, with its workers, threads and later children, recorded from its first statement on.
set -u
. "$TOP/tests/perl/lib.sh"

as_command=yes forks=later
situations perl '' 20
