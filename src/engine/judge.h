/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Judges how native stacks ended: at their root, or what cut or broke them. */
#ifndef ENGINE_JUDGE_H
#define ENGINE_JUDGE_H

#include "samples.h"

struct judge {
	const struct samples *samples;
	const struct processes *ps;
	struct recording *rec;
};

/* Asks the files about all stacks at once, so that judge_stack() need not wait. */
void judge_ask(const struct judge *j);

/*
 * Returns how a user stack, or a kernel stack of named frames, ended. Sets *CUT_BY, a string of the
 * recording, to what cut or broke it, or to 0 if nothing did or it is not known.
 */
enum stack_end judge_stack(const struct judge *j, const struct sample_stack *s, uint32_t *cut_by);

#endif
