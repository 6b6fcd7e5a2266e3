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

# table NAME KEYS ARG…: prints what the recording has by KEYS, as CSV
table() {
	table_name=$1 table_keys=$2
	shift 2
	"$bin/bt-report" --by "$table_keys" --csv "$@" "$T/$table_name.rec" 2>/dev/null
}
