#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# mappings: a target has 60,000 executable mappings. What that costs the recorder must grow with their number, not with its square.
set -eu
. "$TOP/tests/lib.sh"
. "$TOP/tests/hostile/lib.sh"

recorder() {
	measured "$@"
}

as_nobody "$CASES/mappings" 60000 >"$T/out" &
target=$!
until_true 60 grep -q spinning "$T/out" || note "$T/out"
expect_record many 0 -u -p $target -t 2
kill $target
check "CPU time $(used cpu) s, below 3 s" at_least 3 "$(used cpu)"
check "elapsed $(used elapsed) s, below 20 s" at_least 20 "$(used elapsed)"
check 'samples' at_least "$(account kept many)" 20
check 'what is left out is said' grep -q 'executable mapping was left out' "$T/many.err"
