// SPDX-License-Identifier: GPL-2.0-or-later
// tcp: user stacks at which threads connect and accept sockets of TCP, send and receive, the bytes, the latencies, and what is sent again. It
// has no script, as only the built-in engine records it.
//
// flametap: event tcp
// flametap: title Bytes sent and received over TCP
// flametap: unit bytes
// flametap: clock monotonic
// flametap: none the target did not use TCP
// flametap: keys op remote local port error
// flametap: probe sock:inet_sock_set_state
// flametap: probe tcp:tcp_retransmit_skb
// flametap: probe raw_syscalls:sys_exit
// flametap: leaf op port
// flametap: counts operations
// flametap: counts errors error
// flametap: takes vm label
// flametap: option op LIST connect=1,accept=2,send=4,receive=8,retransmit=16,all=31 default all: Only connects, accepts, sends, receives or retransmits
// flametap: option port N 1..65535: Only connections from or to this port
// flametap: program tcp
