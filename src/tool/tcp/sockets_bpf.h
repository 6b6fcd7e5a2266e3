/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The fields of sockets that the programs read, and numbers of endpoints. */
#ifndef TOOL_TCP_SOCKETS_BPF_H
#define TOOL_TCP_SOCKETS_BPF_H

#include "tcp.h"

#include "engine/bpf/kern/core.h"
#include "engine/bpf/kern/files.h"
#include "engine/bpf/kern/numbering.h"

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct in6_addr___kernel {
	uint64_t word[2];
};

struct sock_common {
	uint32_t skc_daddr, skc_rcv_saddr;
	uint16_t skc_dport; /* in the order of bytes of the network */
	uint16_t skc_num;
	unsigned short skc_family;
	struct in6_addr___kernel skc_v6_daddr, skc_v6_rcv_saddr;
};

struct sock {
	struct sock_common __sk_common;
	uint16_t sk_protocol;
	int sk_err;
};

struct socket {
	struct sock *sk;
};

struct sk_buff {
	unsigned int len;
};

#pragma clang attribute pop

enum {
	FAMILY_INET = 2,
	FAMILY_INET6 = 10,
	PROTOCOL_TCP = 6,
	MODE_TYPE = 0170000,
	MODE_SOCKET = 0140000
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, TCP_ENDS_MAX);
	__type(key, uint32_t); /* number, from 1 */
	__type(value, struct endpoints);
} endpoints SEC(".maps");

static __always_inline bool is_tcp(struct sock *sk)
{
	unsigned short family = BPF_CORE_READ(sk, __sk_common.skc_family);

	return (family == FAMILY_INET || family == FAMILY_INET6) &&
	       BPF_CORE_READ(sk, sk_protocol) == PROTOCOL_TCP;
}

static __always_inline uint16_t remote_port(struct sock *sk)
{
	return __builtin_bswap16(BPF_CORE_READ(sk, __sk_common.skc_dport));
}

static __always_inline uint16_t local_port(struct sock *sk)
{
	return BPF_CORE_READ(sk, __sk_common.skc_num);
}

/* Returns the second word of the address FROM of IPv4, mapped to IPv6 (::ffff:a.b.c.d). */
static __always_inline uint64_t mapped(uint32_t from)
{
	return (uint64_t)from << 32 | 0xffff0000;
}

/* Returns the number of the endpoints of SK, whose server has this PORT. */
static __noinline uint32_t endpoints_number(struct sock *sk, uint32_t port)
{
	struct endpoints e = {.port = port};

	if (BPF_CORE_READ(sk, __sk_common.skc_family) == FAMILY_INET) {
		e.remote[1] = mapped(BPF_CORE_READ(sk, __sk_common.skc_daddr));
		e.local[1] = mapped(BPF_CORE_READ(sk, __sk_common.skc_rcv_saddr));
	} else {
		bpf_core_read(e.remote, sizeof(e.remote), &sk->__sk_common.skc_v6_daddr);
		bpf_core_read(e.local, sizeof(e.local), &sk->__sk_common.skc_v6_rcv_saddr);
	}
	return number_in(&endpoints, &e, ENDPOINTS_WORDS, TCP_ENDS_MAX);
}

/* Returns the socket of the descriptor FD of the current task if it is one of TCP, or NULL. */
static __always_inline struct sock *socket_at(uint64_t fd)
{
	struct file___kernel *file = file_at(fd);

	if (!file || (BPF_CORE_READ(file, f_inode, i_mode) & MODE_TYPE) != MODE_SOCKET)
		return NULL;
	struct socket *socket = BPF_CORE_READ(file, private_data);
	struct sock *sk = BPF_CORE_READ(socket, sk);

	return sk && is_tcp(sk) ? sk : NULL;
}

#endif
