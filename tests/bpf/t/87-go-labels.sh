#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# 87-go-labels: samples of Go programs have the labels of their goroutines.
set -eu
. "$TOP/tests/lib.sh"
. "$TOP/tests/bpf/lib.sh"
. "$TOP/tests/go-labels.sh"

go=$(command -v go) || {
	skip go-labels 'go is not installed'
	exit 0
}
GOCACHE=$T/cache
export GOCACHE
labels_of plain
labels_of stripped -ldflags '-s -w'
