#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# tcp: what sockets do, by stack and endpoint, whose numbers the target knows.
set -eu
. "$TOP/tests/lib.sh"
. "$TOP/tests/bpf/lib.sh"
. "$TOP/tests/tcp.sh"

recorder() {
	"$BIN-tcp" --engine bpf "$@"
}

N=30
TCP=$T/tcp
cc -O2 -g -fomit-frame-pointer -pthread -o "$TCP" "$TOP/tests/programs/tcp.c"

begin_uses attached
check 'attached: nothing is lost' grep -q ' kept, 0 lost' "$T/attached.err"
same_uses attached

begin_uses sent --op send
check_eq 'sent: nothing else' send "$("${BIN%/*}/bt-report" --by op "$T/sent.rec" 2>/dev/null | sed '1d; s/,.*//')"
check_eq 'sent: bytes of both sides' $((3000 * N)) "$(tcp_sum sent tcp op=send)"


retransmits lost
