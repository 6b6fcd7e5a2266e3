/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the code of the functions at the locations of a lookup job, in a worker process. Of a
 * kernel its debug file (vmlinux) or, while the recorded one runs, /proc/kcore has the code.
 */
#ifndef SYMBOL_CODE_CODE_JOB_H
#define SYMBOL_CODE_CODE_JOB_H

#include "symbol/lookup_job.h"

struct strbuf;

/* Where a location's function is in the running kernel. */
struct kernel_place {
	uint64_t before, after; /* bytes from its start, and to its end */
};

struct code_job {
	struct lookup_job lookup; /* locations in ascending order */
	bool intel;               /* the syntax */
	/* of the running kernel, if it is the recorded one */
	int kcore;         /* /proc/kcore, -1: it is not used. Owned by the caller */
	uint64_t text_now; /* address that the locations' offsets count from */
	struct kernel_place *kernel_places; /* of each location */
};

/* As lookup_job_work, between lookup_job_open and lookup_job_finish. OUTPUT gets a struct code. */
void code_job_work(struct code_job *job, struct strbuf *output);

#endif
