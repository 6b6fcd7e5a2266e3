#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# 50-go: like 40-code, for programs that other releases of Go have compiled: with and without C, also position-independent ones.
# tier: all
set -eu
. "$TOP/tests/lib.sh"
. "$TOP/tests/roots.sh"
. "$TOP/tests/steps/lib.sh"

programs=$TOP/tests/bpf/programs
GO111MODULE=off GOTOOLCHAIN=local
export GO111MODULE GOTOOLCHAIN

# build NAME C [OPTION…]: builds one of the programs as $CASES/NAME; C tells whether it may have code in C, 1 or 0
build() {
	build_source=$1
	CGO_ENABLED=$2
	export CGO_ENABLED
	shift 2
	check "$suite: $build_source $*: compiled" "$go" build "$@" -o "$CASES/$build_source" "$programs/$build_source.go"
}

CASES=$T
: >"$CASES/missing"
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
	for option in -buildmode=exe -buildmode=pie; do
		build goroutines 0 $option
		walk "$suite, $option: Go" goroutines 'main.main main.below main.spin' -b main.main -m -g -i 20000
		build callbacks 1 $option
		walk "$suite, $option: Go and C" callbacks 'main.called_back calls_back main.garbage' -b main.main -m -g -i 20000
	done
done
