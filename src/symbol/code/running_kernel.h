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
	int kcore, error; /* /proc/kcore, -1: it cannot be opened, with this errno */
	struct kallsyms *symbols;
};

/* Opens nothing if REC has no frames of a kernel. */
void running_kernel_open(struct running_kernel *kernel, const struct recording *rec);
void running_kernel_close(struct running_kernel *kernel);

/* Where the function at ADDRESS starts and ends; 0 and 0: not known. */
void running_kernel_place(
	const struct running_kernel *kernel, uint64_t address, struct kernel_place *place);

/* Appends why it has no code: ": …". */
void running_kernel_explain(const struct running_kernel *kernel, struct strbuf *why);

#endif
