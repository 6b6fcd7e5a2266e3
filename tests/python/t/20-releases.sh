#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# 20-releases: a program that knows its own stacks, on the CPython of Debian's other releases: 3.9, 3.13, 3.14 and 3.15.
# tier: all
set -u
. "$TOP/tests/python/lib.sh"

for of in bullseye:3.9 trixie:3.13 sid:3.14 sid:3.15; do
	python=/usr/bin/python${of#*:}
	if python_root "${of%:*}" && runs $python -c 1; then
		situations "$of" "$root" 60
		situations "$of-mixed" "$root" 60 --mixed
	else
		skip "$of" "${no_root:-it does not run}"
	fi
done
