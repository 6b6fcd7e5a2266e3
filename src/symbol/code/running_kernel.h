/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel that runs now, if it is the recorded one since the same boot. */
#ifndef SYMBOL_CODE_RUNNING_KERNEL_H
#define SYMBOL_CODE_RUNNING_KERNEL_H

#include <stdbool.h>
#include <stdint.h>

struct kallsyms;
struct kernel_place;
struct recording;
struct strbuf;

struct running_kernel {
	bool is_recorded;
	int kcore, error; /* fd of /proc/kcore, or -1 with the errno of the failure to open it */
	struct kallsyms *symbols;
};

/* Opens the running kernel, unless REC has no frames of a kernel. */
void running_kernel_open(struct running_kernel *kernel, const struct recording *rec);
void running_kernel_close(struct running_kernel *kernel);

/* Sets PLACE to the position of ADDRESS in its function, or to 0 and 0 if it is not known. */
void running_kernel_place(
	const struct running_kernel *kernel, uint64_t address, struct kernel_place *place);

/* Appends why the kernel has no code, after ": ". */
void running_kernel_explain(const struct running_kernel *kernel, struct strbuf *why);

#endif
