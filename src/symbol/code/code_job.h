/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the code of the functions at the locations of a lookup job, in a worker process. The code
 * of a kernel comes from its debug file (vmlinux) or, while the recorded kernel runs, from
 * /proc/kcore.
 */
#ifndef SYMBOL_CODE_CODE_JOB_H
#define SYMBOL_CODE_CODE_JOB_H

#include "symbol/lookup_job.h"

struct strbuf;

/* The position of a location inside its function in the running kernel. */
struct kernel_place {
	uint64_t before, after; /* bytes from the function's start, and to its end */
};

struct code_job {
	struct lookup_job lookup; /* locations in ascending order */
	bool intel;               /* use Intel's syntax */
	bool positions;           /* see struct code_options */
	/* the running kernel, if it is the recorded one */
	int kcore;         /* /proc/kcore, owned by the caller, or -1 if it is not used */
	uint64_t text_now; /* address from which the locations' offsets are counted */
	struct kernel_place *kernel_places; /* for each location */
};

/*
 * Works like lookup_job_work, between lookup_job_open and lookup_job_finish. OUTPUT gets a struct
 * code.
 */
void code_job_work(struct code_job *job, struct strbuf *output);

#endif
