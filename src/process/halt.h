/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stops all threads of a process for a moment, with ptrace and without a signal. If this program
 * ends meanwhile, the threads continue.
 */
#ifndef PROCESS_HALT_H
#define PROCESS_HALT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct halted_thread {
	uint32_t tid;
	bool is_stopped;
	int signal; /* to be delivered when it continues, or 0 */
};

struct halt {
	struct halted_thread *threads;
	size_t nr, alloc;
	int64_t began_ns;
};

/*
 * Returns false if not all threads have stopped by the monotonic time UNTIL_NS, or if they may not
 * be traced. halt_end() must be called in any case.
 */
bool halt_begin(struct halt *h, uint32_t pid, int64_t until_ns);

/* Lets the threads continue. Returns for how many nanoseconds they were stopped, at most. */
int64_t halt_end(struct halt *h);

#endif
