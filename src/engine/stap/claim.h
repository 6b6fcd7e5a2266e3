/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A claim is a file that names the kernel module of a running recording, locked until the module
 * is unloaded. An unlocked claim is left over from a recording whose processes were all killed; the
 * next recording unloads its module.
 */
#ifndef ENGINE_STAP_CLAIM_H
#define ENGINE_STAP_CLAIM_H

#include "stap_module.h"

#include <sys/types.h>

struct claim {
	char *path; /* or NULL if there is no claim */
	int fd;
};

/* Creates a claim for this process. On failure the recording continues without one. */
void claim_make(struct claim *c);

/* Writes the module that the process LOADER will load. */
void claim_write(const struct claim *c, const struct stap_module *module, pid_t loader);

/* Removes the claim, after the module was unloaded. */
void claim_release(struct claim *c);

/* Unloads the modules of unlocked claims. */
void claims_sweep(void);

#endif
