# SPDX-License-Identifier: GPL-2.0-or-later
# python/lib.sh: functions for tests/python/t/*.sh. Needs TOP and BIN, which tests/run sets.

. "$TOP/tests/lib.sh"
. "$TOP/tests/record.sh"
. "$TOP/tests/situations.sh"
. "$TOP/tests/roots.sh"
bin=${BIN%/*}
LC_ALL=C.UTF-8
export LC_ALL
language=python

recorder() {
	"$bin/py-sample-bt" --engine bpf "$@"
}
