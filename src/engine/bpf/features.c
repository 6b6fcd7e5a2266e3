/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "features.h"
#include "lib/util.h"
#include "refusal.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <unistd.h>

/*
 * Tries to attach a program that reads the last argument: the kernel refuses a program that reads
 * past the arguments of the tracepoint.
 */
bool features_tracepoint(const char *tracepoint, int nr)
{
	const struct bpf_insn read_last[] = {
		{.code = BPF_LDX | BPF_MEM | BPF_DW,
			.dst_reg = 0,
			.src_reg = 1,
			.off = (__s16)((nr - 1) * 8)},
		{.code = BPF_ALU64 | BPF_MOV | BPF_K}, /* r0 = 0 */
		{.code = BPF_JMP | BPF_EXIT},
	};
	int prog = bpf_prog_load(
		BPF_PROG_TYPE_RAW_TRACEPOINT, NULL, "GPL", read_last, ARRAY_LEN(read_last), NULL);
	int link = prog < 0 ? -1 : bpf_raw_tracepoint_open(tracepoint, prog);

	if (link >= 0)
		close(link);
	if (prog >= 0)
		close(prog);
	return link >= 0;
}

bool features_switch_state(void)
{
	return features_tracepoint("sched_switch", 4);
}

bool features_contention(void)
{
	return features_tracepoint("contention_begin", 2);
}

bool features_io_uring(void)
{
	/* before 6.0, io_uring_submit_sqe had seven arguments, and the request was not the first */
	return features_tracepoint("io_uring_submit_req", 1) ||
	       (features_tracepoint("io_uring_submit_sqe", 2) &&
		       !features_tracepoint("io_uring_submit_sqe", 3));
}

bool features_find_vma(void)
{
	return libbpf_probe_bpf_helper(BPF_PROG_TYPE_PERF_EVENT, BPF_FUNC_find_vma, NULL) > 0;
}

const char *features_probe_remedy(int error)
{
	if (error == EACCES || error == EPERM)
		return "run this as root, or with CAP_SYS_ADMIN";
	return refusal_remedy_or(error, "the kernel needs CONFIG_UPROBE_EVENTS");
}
