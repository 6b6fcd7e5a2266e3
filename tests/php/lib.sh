# SPDX-License-Identifier: GPL-2.0-or-later
# php/lib.sh: functions for tests/php/t/*.sh. Needs TOP and BIN, which tests/run sets.

. "$TOP/tests/lib.sh"
. "$TOP/tests/record.sh"
. "$TOP/tests/situations.sh"
bin=${BIN%/*}
LC_ALL=C
export LC_ALL
language=php
php=$(command -v php || :)

recorder() {
	"$bin/sample-bt" --php --engine bpf "$@"
}
