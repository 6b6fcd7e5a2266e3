/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A recorded process as a target. */
#ifndef PROCESS_INSPECT_H
#define PROCESS_INSPECT_H

#include "process.h"
#include "target.h"

/*
 * Initialises the target with the mapped files and the memory of P. It is valid as long as PS does
 * not change. DEBUG_PATH is as in struct debug_paths.
 */
void inspect_init(struct target *t, const struct processes *ps, const struct process *p,
	const char *debug_path);
void inspect_release(struct target *t);

#endif
