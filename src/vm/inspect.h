/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A process that is recorded, as src/vm looks at it. */
#ifndef VM_INSPECT_H
#define VM_INSPECT_H

#include "process/process.h"
#include "target.h"

/*
 * What P has mapped, and its memory. Valid as long as PS does not change; debug_path as in struct
 * debug_paths.
 */
void inspect_init(struct target *t, const struct processes *ps, const struct process *p,
	const char *debug_path);
void inspect_release(struct target *t);

#endif
