#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# 88-go-releases: like 87-go-labels, for programs that other releases of Go have compiled, also position-independent ones and such with C.
# tier: all
set -eu
. "$TOP/tests/lib.sh"
. "$TOP/tests/roots.sh"
. "$TOP/tests/bpf/lib.sh"
. "$TOP/tests/go-labels.sh"

for suite in $gos; do
	if ! go_root "$suite"; then
		skip "$suite" "$no_root"
		continue
	fi
	GOCACHE=$root/tmp/cache
	export GOCACHE
	note <<-EOF
		$("$go" version)
	EOF
	labels_of "$suite"
	labels_of "$suite-stripped" -ldflags '-s -w'
	labels_of "$suite-pie" -buildmode=pie
	labels_of "$suite-external" -ldflags -linkmode=external
	check_eq "$suite: all labels but the last" '/help' "$("$bin/bt-report" --by go.handler,function --csv "$T/$suite.rec" 2>/dev/null | sed -n 's/,main\.helps,.*//p')"
done
