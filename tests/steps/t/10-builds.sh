#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# 10-builds: one program, compiled and linked in many ways.
set -eu
. "$TOP/tests/lib.sh"
. "$TOP/tests/steps/lib.sh"

plain='main one two three spin burn_stop'
for case in plain plain-static plain-no-pie plain-no-header plain-one-segment plain-fp plain-debug-frame plain-gold plain-clang; do
	walk $case $case "$plain"
done
walk plain-static-pie plain-static-pie "$plain" -i 20000
walk stripped plain-stripped ''
walk lld plain-lld "$plain"

# from the first instruction of the dynamic linker, whose _start has rules up to its first call
walk loader plain main -d -i 30000 -e _start
walk 'lazy binding' plain "$plain" -l
# lld's stubs have no rules, and rbp may be an outer function's
walk 'lazy binding, lld' plain-lld "$plain" -l -e '*' -w '*'
# musl has no rules
walk musl plain-musl "$plain" -e '*' -w '*'
walk 'musl, static' plain-musl-static "$plain" -e '*' -w '*'
