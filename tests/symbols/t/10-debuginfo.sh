#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# 10-debuginfo: debug information of all versions, as compilers and linkers make it, and broken debug information:
# tests/symbols/debuginfo.c; its entries, as libdw reads them: tests/symbols/dietree.c.
set -eu

TOP=${TOP:-$(cd "$(dirname "$0")/../../.." && pwd)}
made=${MADE:-$TOP/${O:-build}/tests/symbols}
. "$TOP/tests/lib.sh"

for program in debuginfo dietree; do
	status=0
	CMOCKA_MESSAGE_OUTPUT=tap "$made/$program" >"$T/tap" 2>&1 || status=$?
	sed -n -E -e 's/^ok [0-9]+ # SKIP (.*)/skip \1: not possible here/p' -e 's/^ok [0-9]+ - (.*)/ok \1/p' \
		-e 's/^not ok [0-9]+ - (.*)/not ok \1: see below/p' "$T/tap" >"$T/results"
	results "$T/results"
	[ "$status" = 0 ] || note "$T/tap"
	check "$program: exits" test "$status" = 0
done
