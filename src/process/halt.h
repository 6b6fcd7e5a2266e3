/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stops all threads of a process for a moment, with ptrace and without a signal. If this program
 * ends meanwhile, they go on.
 */
#ifndef PROCESS_HALT_H
#define PROCESS_HALT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct halted_thread {
	uint32_t tid;
	bool is_stopped;
	int signal; /* that it is to get when it goes on; 0: none */
};

struct halt {
	struct halted_thread *threads;
	size_t nr, alloc;
	int64_t began_ns;
};

/*
 * False: not all have stopped by monotonic time UNTIL_NS, or they may not be traced. To be ended in
 * any case.
 */
bool halt_begin(struct halt *h, uint32_t pid, int64_t until_ns);

/* Has them go on; for how many nanoseconds they were stopped, at most. */
int64_t halt_end(struct halt *h);

#endif
