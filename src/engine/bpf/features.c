/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "features.h"
#include "lib/util.h"
#include "refusal.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <unistd.h>

/* Returns whether the program of these instructions can be attached to a tracepoint. */
static bool attaches(const char *tracepoint, const struct bpf_insn *insns, size_t nr)
{
	int prog = bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, NULL, "GPL", insns, nr, NULL);
	int link = prog < 0 ? -1 : bpf_raw_tracepoint_open(tracepoint, prog);

	if (link >= 0)
		close(link);
	if (prog >= 0)
		close(prog);
	return link >= 0;
}

#define RETURN_0                                                                                   \
	{.code = BPF_ALU64 | BPF_MOV | BPF_K},                                                     \
	{                                                                                          \
		.code = BPF_JMP | BPF_EXIT                                                         \
	}

/* The kernel refuses a program that reads past the arguments of the tracepoint. */
bool features_switch_state(void)
{
	const struct bpf_insn read_fourth[] = {
		{.code = BPF_LDX | BPF_MEM | BPF_DW, .dst_reg = 0, .src_reg = 1, .off = 3 * 8},
		RETURN_0,
	};

	return attaches("sched_switch", read_fourth, ARRAY_LEN(read_fourth));
}

bool features_contention(void)
{
	const struct bpf_insn nothing[] = {RETURN_0};

	return attaches("contention_begin", nothing, ARRAY_LEN(nothing));
}

const char *features_probe_remedy(int error)
{
	if (error == EACCES || error == EPERM)
		return "run this as root, or with CAP_SYS_ADMIN";
	return refusal_remedy_or(error, "the kernel needs CONFIG_UPROBE_EVENTS");
}
