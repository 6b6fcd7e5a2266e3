#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# 50-puc: the program that knows its own stacks, by the Lua of PUC-Rio: 5.1, 5.3, 5.4.
set -u
. "$TOP/tests/lua/lib.sh"

for version in 5.1 5.3 5.4; do
	if command -v lua$version >"$T/found"; then
		situations "Lua $version" '' '' off lua$version
	else
		skip "Lua $version" "needs lua$version"
	fi
done
