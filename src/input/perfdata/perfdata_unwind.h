/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unwinds the stack that a sample has a copy of, by the rules and the steps of the BPF programs. */
#ifndef INPUT_PERFDATA_PERFDATA_UNWIND_H
#define INPUT_PERFDATA_PERFDATA_UNWIND_H

#include "unwind/walk.h"

#include <stdint.h>

struct perfdata_files;
struct perfdata_sample;
struct perfdata_space;

struct perfdata_stack {
	uint64_t addresses[WALK_DEPTH]; /* leaf first */
	bool calls[WALK_DEPTH];         /* which of them are return addresses */
	uint32_t nr;
	enum walk_end end;
	bool ran_out;  /* the copy ends before the stack does */
	uint32_t last; /* number of the file of the last frame, or UINT32_MAX */
};

/*
 * Unwinds the stack of S, whose registers MASK selects as attr.sample_regs_user does, in SPACE,
 * which may be NULL. Returns false if the registers are not enough to begin.
 */
bool perfdata_unwind(struct perfdata_stack *stack, const struct perfdata_sample *s, uint64_t mask,
	const struct perfdata_space *space, struct perfdata_files *files);

#endif
