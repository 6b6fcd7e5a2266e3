/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What sockets of TCP do, as shared by the BPF programs and user space. */
#ifndef TOOL_TCP_TCP_H
#define TOOL_TCP_TCP_H

#include "engine/bpf/kern/shared.h"

/* Indexes of the options in the script's header. */
enum { TCP_OPTION_OP, TCP_OPTION_PORT };

/* What a socket does; the bits of the option. */
enum tcp_op { TCP_CONNECT, TCP_ACCEPT, TCP_SEND, TCP_RECEIVE, TCP_RETRANSMIT, TCP_OPS };

enum {
	SOCKETS_MAX = 1 << 15, /* whose owners are known, and that are being connected */
	TCP_NUMBERS = 512,     /* of system calls */
};

/* A system call, by its number. */
struct tcp_call {
	bool is_recorded;
	uint8_t op; /* enum tcp_op; an accepted socket is the result, others the first argument */
};

/* What a row counts: its op, the error, and the number of the endpoints, or 0 if not known. */
enum {
	TCP_OP = 7,
	TCP_ERROR_SHIFT = 3,
	TCP_ERROR_MAX = 255, /* stands for all larger ones, too */
	TCP_ENDS_SHIFT = TCP_ERROR_SHIFT + 8,
	TCP_ENDS_BITS = 14,
	TCP_ENDS_MAX = (1 << TCP_ENDS_BITS) - 1, /* endpoints that are kept */
};

_Static_assert((int)TCP_OPS <= TCP_OP + 1, "each op has a number in rows");

/*
 * What is a span, see span_key.part: a connect that goes on, and the first use of a socket by a
 * thread that is recorded, which owns it.
 */
enum tcp_part { PART_CONNECT, PART_OWNER };

/* The word of a span that is the port of the server. */
enum { SPAN_PORT };

/* The addresses of a connection and the port of its server. IPv4 addresses are mapped to IPv6. */
struct endpoints {
	uint64_t remote[2], local[2]; /* in the order of bytes of the network */
	uint64_t port;
};

enum { ENDPOINTS_WORDS = sizeof(struct endpoints) / sizeof(uint64_t) };

#endif
