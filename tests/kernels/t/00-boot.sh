#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# 00-boot: does the guest run its suite's kernel, and do the programs run with its libraries? Arguments: see vm_main in lib.sh.
# vm-weight: 5
set -eu
. /lab/lib.sh

prepare() {
	check 'the programs run with the libraries of the suite' sample-bt --version
}

in_guest() {
	check_eq "the kernel is the suite's" "$(echo /lib/modules/*)" "/lib/modules/$(uname -r)"
	check_eq 'two CPUs are online' 2 "$(getconf _NPROCESSORS_ONLN)"
	check_eq 'the built-in engine is asked for' bpf "$FLAMETAP_ENGINE"
	check 'sample-bt runs' sample-bt --version
	uname -a | note
}

vm_main "$@"
