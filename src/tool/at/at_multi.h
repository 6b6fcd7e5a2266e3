/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Links that attach a program at many functions at once, and detach it as fast: uprobe_multi (Linux
 * 6.6) and kprobe_multi (5.18). The program is made for them before it is loaded.
 */
#ifndef TOOL_AT_AT_MULTI_H
#define TOOL_AT_AT_MULTI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct at_site;
struct bpf_program;

/* Return whether this kernel has such links. */
bool at_multi_has_user(void);
bool at_multi_has_kernel(void);
/* Returns whether it has them for the threads of one process (Linux 6.10). */
bool at_multi_has_process(void);

/* Makes PROGRAM, which is not loaded yet, one for such links to programs or, with KERNEL, to it. */
void at_multi_prepare(struct bpf_program *program, bool kernel);

/*
 * Attaches PROGRAM at the NR SITES, all in the same file or all in the kernel; with RETURNS, where
 * these functions return; with PID other than 0, only in this process. Returns the link's
 * descriptor, or -1 with errno, and then at none.
 */
int at_multi_attach(const struct bpf_program *program, const struct at_site *sites, size_t nr,
	bool returns, uint32_t pid);

#endif
