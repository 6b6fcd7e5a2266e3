#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# mapping-storm: a target with 20,000 executable mappings changes them 10,000 times a second.
set -eu
. "$TOP/tests/hostile/lib.sh"

start spinning "$CASES/mappings" 20000 10000
for how in "-p $target" -a; do
	# shellcheck disable=SC2086 # options
	expect_record "${how%% *}" 0 $how -u -t 1
	expect_memory "${how%% *}" 409600
	expect_samples "${how%% *}"
done
kill $target
