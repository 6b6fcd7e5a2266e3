# SPDX-License-Identifier: GPL-2.0-or-later
# postgres/lib.sh: functions for tests/postgres/t/*.sh. Needs TOP and BIN, which tests/run sets.

. "$TOP/tests/lib.sh"
. "$TOP/tests/record.sh"
bin=${BIN%/*}
LC_ALL=C
export LC_ALL

recorder() {
	"$bin/sample-bt" --postgres --engine bpf "$@"
}

# table NAME KEYS: prints what the recording has by KEYS, as CSV
table() {
	"$bin/bt-report" --by "$2" --csv "$T/$1.rec" 2>/dev/null
}
