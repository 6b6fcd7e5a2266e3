# SPDX-License-Identifier: GPL-2.0-or-later
# tcp.sh: functions for the tests of TCP, on this machine and in guests. TCP is the program tests/programs/tcp.c, which makes $N connections of
# each kind. They need record.sh.

# tcp_sum NAME EVENT KEY=VALUE…: prints what a recording has of an event with these labels
tcp_sum() {
	tcp_name=$1 tcp_event=$2
	shift 2
	for label; do
		set -- "$@" --label "$label"
		shift
	done
	"${BIN%/*}/bt-collapse" --event "$tcp_event" "$@" "$T/$tcp_name.rec" 2>/dev/null | awk '{ n += $NF } END { print n + 0 }'
}

# uses_of NAME ERE N [BYTES]: checks the operations, and the bytes, of the stacks ERE
uses_of() {
	"${BIN%/*}/bt-collapse" --event operations "$T/$1.rec" >"$T/$1.operations" 2>/dev/null || :
	check_eq "$1: $2" "$3" "$(weight "$T/$1.operations" "^(tcp;)?$2\$")"
	[ $# = 3 ] || check_eq "$1: $2: bytes" "$4" "$(weight "$T/$1.folded" "^(tcp;)?$2\$")"
}

# same_uses NAME: checks what TCP has done
same_uses() {
	read -r v4 v6 refused <<-END
		$(sed -n 's/^ports //p' "$T/target.out")
	END
	for port in $v4 $v6; do
		uses_of "$1" "_start;.*;main;talk;reach;.*connect_\[k\];${port}_\[k\]" "$N" 0
		uses_of "$1" "_start;.*;main;talk;reach;.*;send_\[k\];${port}_\[k\]" "$N" $((1000 * N))
		uses_of "$1" "_start;.*;main;talk;reach;.*;receive_\[k\];${port}_\[k\]" "$N" $((500 * N))
		uses_of "$1" ".*;run_server;serve;.*;accept_\[k\];${port}_\[k\]" "$N" 0
		uses_of "$1" ".*;run_server;serve;.*;receive_\[k\];${port}_\[k\]" "$N" $((1000 * N))
		uses_of "$1" ".*;run_server;serve;.*;send_\[k\];${port}_\[k\]" "$N" $((500 * N))
		check "$1: $port: the latency of connects and accepts" test "$(tcp_sum "$1" time op=connect "port=$port")" -gt 0 -a \
			"$(tcp_sum "$1" time op=accept "port=$port")" -gt 0
	done
	uses_of "$1" "_start;.*;main;refuse;.*connect_\[k\];${refused}_\[k\]" "$N" 0
	check_eq "$1: connections that are refused" "$N" "$(tcp_sum "$1" errors op=connect error=ECONNREFUSED "port=$refused")"
	check_eq "$1: all that failed" "$N" "$(tcp_sum "$1" errors 'op=*')"
	check_eq "$1: addresses of IPv4 and IPv6" "$((3000 * N)) $((3000 * N))" "$(tcp_sum "$1" tcp remote=127.0.0.1) $(tcp_sum "$1" tcp local=::1)"
}

# lonely: makes $T/lonely, which runs TCP where all packets to 10.9.9.2 get lost, or fails with $no_lonely
lonely() {
	cat >"$T/lonely" <<-END
		#!/bin/sh
		ip link set lo up && ip tuntap add dev hole mode tun && ip addr add 10.9.9.1/24 dev hole && ip link set hole up || exit 3
		LOST=10.9.9.2
		export LOST
		exec "\$@"
	END
	chmod +x "$T/lonely"
	no_lonely=$(unshare -n "$T/lonely" true 2>&1)
}

# retransmits NAME: records TCP when its packets get lost
retransmits() {
	if ! lonely; then
		skip "$1: retransmits" "no place where packets get lost: $no_lonely"
		return 0
	fi
	printf '#!/bin/sh\nexec unshare -n "%s" "%s" "$@"\n' "$T/lonely" "$TCP" >"$T/lost"
	chmod +x "$T/lost"
	record_work "$T/lost" "$1" --show operations
	sent_again=$(sed -n 's/^retransmits //p' "$T/target.out")
	check "$1: packets are sent again" test "$sent_again" -ge "$N"
	"${BIN%/*}/bt-collapse" --event operations --label op=retransmit "$T/$1.rec" >"$T/$1.retransmits" 2>/dev/null || :
	note "$T/$1.retransmits"
	check_eq "$1: as many as the kernel counts" "$sent_again" "$(weight "$T/$1.retransmits" '^(tcp;)?_start;.*;main;lose;.*connect;retransmit_\[k\];9_\[k\]$')"
	check_eq "$1: no others" "$sent_again" "$(weight "$T/$1.retransmits")"
	check_eq "$1: connections that time out" "$N" "$(tcp_sum "$1" errors op=connect error=ETIMEDOUT remote=10.9.9.2 port=9)"
}

# begin_uses NAME ARG…: records TCP
begin_uses() {
	record_work "$TCP" "$@"
	note "$T/target.out"
}
