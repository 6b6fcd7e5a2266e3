#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# 40-gil: whether a thread has the GIL, or collects garbage, as a label, on this system's python3.
set -u
. "$TOP/tests/python/lib.sh"
. "$TOP/tests/python/gil.sh"

# minor_of PYTHON: prints the N of 3.N
minor_of() {
	"$1" -c 'import sys; print(sys.version_info[1])' 2>/dev/null
}

python=/usr/bin/python3
minor=$(minor_of $python) || { skip 'the GIL' "there is no $python"; exit 0; }
gil_states "python 3.$minor" "$([ "$minor" -ge 13 ] && echo gc || echo gil)" '' $python
