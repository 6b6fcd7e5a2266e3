# SPDX-License-Identifier: GPL-2.0-or-later
# lua/lib.sh: functions for tests/lua/t/*.sh. Needs TOP and BIN, which tests/run sets.

. "$TOP/tests/lib.sh"
. "$TOP/tests/record.sh"
. "$TOP/tests/situations.sh"
bin=${BIN%/*}
here=$TOP/tests/lua
LC_ALL=C
export LC_ALL
language=lua

recorder() {
	"$bin/lj-sample-bt" --engine bpf "$@"
}
