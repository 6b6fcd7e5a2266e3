#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# 15-judge: programs/situations-judge accepts a correct recording, and finds a single mistake in a recording of situations.lua.
set -u
. "$TOP/tests/lua/lib.sh"

touch "$T/s.go"
luajit "$programs/situations.lua" "$T/s" 1 off >"$T/out" 2>&1 || not_ok 'the program' "$(tail -n 1 "$T/out")"
check_mistakes lua
