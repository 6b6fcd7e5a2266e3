# SPDX-License-Identifier: GPL-2.0-or-later
# perl/lib.sh: functions for tests/perl/t/*.sh. Needs TOP and BIN, which tests/run sets.

. "$TOP/tests/lib.sh"
. "$TOP/tests/record.sh"
. "$TOP/tests/situations.sh"
bin=${BIN%/*}
here=$TOP/tests/perl
LC_ALL=C
export LC_ALL

recorder() {
	"$bin/pl-sample-bt" --engine bpf "$@"
}

# known_by ROOT PERL: prints by what --check knows this perl
known_by() {
	${1:+chroot "$1"} "$2" -e 'sleep 100' &
	sleeper=$!
	await_start $sleeper
	"$bin/pl-sample-bt" --engine bpf --check -p $sleeper 2>&1 | sed -n 's/.*, known by //p'
	kill $sleeper
	wait $sleeper 2>/dev/null
}
