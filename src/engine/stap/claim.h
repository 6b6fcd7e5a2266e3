/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A claim says which kernel module a running recording loaded: a file that is locked as long as
 * somebody looks after the module. One that nobody locks is of a recording that was killed as a
 * whole; the next start unloads its module.
 */
#ifndef ENGINE_STAP_CLAIM_H
#define ENGINE_STAP_CLAIM_H

#include "stap_module.h"

#include <sys/types.h>

struct claim {
	char *path; /* NULL: none */
	int fd;
};

/* A new claim of this process. When it cannot be made, the recording goes on without. */
void claim_make(struct claim *c);

/* What is claimed: the module that the process LOADER will load. */
void claim_write(const struct claim *c, const struct stap_module *module, pid_t loader);

/* Nothing is left to look after. */
void claim_release(struct claim *c);

/* Unloads the modules of claims that nobody holds. */
void claims_sweep(void);

#endif
