#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# 45-gil-releases: whether a thread has the GIL, or collects garbage, as a label, on the CPython of Debian's other releases.
# tier: all
set -u
. "$TOP/tests/python/lib.sh"
. "$TOP/tests/python/gil.sh"

for of in bullseye:3.9:gil trixie:3.13:gc sid:3.14:gc sid:3.15:gc; do
	suite=${of%%:*} version=${of#*:}
	python=/usr/bin/python${version%:*}
	if python_root "$suite" && runs $python -c 1; then
		gil_states "$suite-${version%:*}" "${of##*:}" "$root" $python
	else
		skip "$of" "${no_root:-it does not run}"
	fi
done
