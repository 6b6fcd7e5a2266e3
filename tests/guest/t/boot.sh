#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# boot: does the guest run its suite's kernel, on two CPUs, and do the programs run with its libraries?
# suites: sid trixie bookworm bullseye
# engine: bpf
set -eu
. /lab/guest.sh

prepare() {
	:
}

in_guest() {
	check_eq "the kernel is the suite's" "$(echo /lib/modules/*)" "/lib/modules/$(uname -r)"
	check_eq 'two CPUs are online' 2 "$(getconf _NPROCESSORS_ONLN)"
	check 'sample-bt runs' sample-bt --version
	uname -a | note
}

guest_main "$@"
