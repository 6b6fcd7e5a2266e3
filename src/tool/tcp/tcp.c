/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tcp: chooses the system calls that are recorded, and names endpoints; see tcp.bpf.c. */
#include "tcp.h"
#include "engine/bpf/bpf_tool.h"
#include "engine/bpf/drain.h"
#include "engine/bpf/features.h"
#include "engine/bpf/programs.h"
#include "engine/bpf/refusal.h"
#include "lib/error_name.h"
#include "lib/strbuf.h"
#include "lib/util.h"

#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "bpf/tcp.object.h"
#include "bpf/tcp.plain.object.h"

static const char *const ops[TCP_OPS] = {"connect", "accept", "send", "receive", "retransmit"};

static const struct {
	uint32_t number;
	enum tcp_op op;
} calls[] = {
	{SYS_accept, TCP_ACCEPT},
	{SYS_accept4, TCP_ACCEPT},
	/* only for kernels without tracepoints of what is sent and received */
	{SYS_read, TCP_RECEIVE},
	{SYS_readv, TCP_RECEIVE},
	{SYS_recvfrom, TCP_RECEIVE},
	{SYS_recvmsg, TCP_RECEIVE},
	{SYS_write, TCP_SEND},
	{SYS_writev, TCP_SEND},
	{SYS_sendto, TCP_SEND},
	{SYS_sendmsg, TCP_SEND},
	{SYS_sendfile, TCP_SEND},
};

/* Data of a recording. */
struct tcp_run {
	int endpoints, unowned; /* maps */
};

/* Returns whether the kernel has tracepoints for what is sent and received (since 6.3). */
static bool has_lengths(void)
{
	return features_tracepoint("sock_send_length", 2);
}

static bool is_needed(const struct engine_request *request, const char *program)
{
	(void)request;
	return (strcmp(program, "on_send") && strcmp(program, "on_receive")) || has_lengths();
}

static void begin(struct tool_run *run)
{
	run->data = xcalloc(1, sizeof(struct tcp_run));
	run->drain->events[ROW_TIME] = samples_event(
		run->drain->samples, &(struct sample_event){"time", "ns", "monotonic", 0, 1});
}

static void release(struct tool_run *run)
{
	free(run->data);
}

static int attach(struct tool_run *run, struct programs *p, struct strbuf *err)
{
	struct tcp_run *r = run->data;
	bool lengths = has_lengths();
	int map = programs_map(p, "tcp_calls");

	r->endpoints = programs_map(p, "endpoints");
	r->unowned = programs_map(p, "unowned");
	for (size_t i = 0; i < ARRAY_LEN(calls); i++) {
		struct tcp_call call = {true, (uint8_t)calls[i].op};

		if (lengths && calls[i].op != TCP_ACCEPT)
			continue;
		if (bpf_map_update_elem(map, &calls[i].number, &call, BPF_ANY)) {
			int error = errno;

			strbuf_adds(err, "cannot choose the system calls");
			return refusal_add(err, error);
		}
	}
	return 0;
}

static uint32_t label_address(
	struct samples *s, uint32_t set, const char *key, const uint64_t address[2])
{
	const struct in6_addr *in6 = (const void *)address;
	bool is_v4 = IN6_IS_ADDR_V4MAPPED(in6);
	char text[INET6_ADDRSTRLEN];

	return inet_ntop(is_v4 ? AF_INET : AF_INET6, is_v4 ? &in6->s6_addr[12] : in6->s6_addr, text,
		       sizeof(text))
		       ? samples_label(s, set, key, text)
		       : set;
}

static uint32_t label_endpoints(struct tool_run *run, uint32_t set, uint32_t number)
{
	struct tcp_run *r = run->data;
	struct samples *s = run->drain->samples;
	struct endpoints e;
	char port[24];

	if (!number || bpf_map_lookup_elem(r->endpoints, &number, &e))
		return set;
	snprintf(port, sizeof(port), "%" PRIu64, e.port);
	set = label_address(s, set, "remote", e.remote);
	set = label_address(s, set, "local", e.local);
	return samples_label(s, set, "port", port);
}

static uint32_t labels(struct tool_run *run, uint32_t value)
{
	uint32_t error = value >> TCP_ERROR_SHIFT & TCP_ERROR_MAX;
	struct samples *s = run->drain->samples;
	uint32_t set = samples_label(s, 0, "op", ops[(value & TCP_OP) % TCP_OPS]);
	char other[ERROR_NAME_LEN];

	if (error)
		set = samples_label(s, set, "error", error_name(error, other));
	return label_endpoints(run, set, value >> TCP_ENDS_SHIFT);
}

static void note(const struct tool_run *run, struct strbuf *notes)
{
	const struct tcp_run *r = run->data;
	uint32_t zero = 0;
	uint64_t nr = 0;

	if (!bpf_map_lookup_elem(r->unowned, &zero, &nr) && nr)
		strbuf_addf(notes,
			"%" PRIu64 " retransmits are not included: no recorded thread has used "
			"their sockets\n",
			nr);
}

const struct bpf_tool tcp_tool = {
	.program = "tcp",
	.object = &tcp_object,
	.plain_object = &tcp_plain_object,
	.is_needed = is_needed,
	.begin = begin,
	.attach = attach,
	.labels = labels,
	.note = note,
	.release = release,
};
