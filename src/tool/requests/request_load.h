/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether the workers of nginx have time for their requests. */
#ifndef TOOL_REQUESTS_REQUEST_LOAD_H
#define TOOL_REQUESTS_REQUEST_LOAD_H

#include <stddef.h>
#include <stdint.h>

struct strbuf;

/* A worker, and how long it has run and waited for a processor. */
struct request_load {
	uint32_t pid;
	uint64_t busy_ns;
};

/* Returns how long process PID has run and waited for a processor, in ns. */
uint64_t request_load_busy(uint32_t pid);

/*
 * Appends a line if some of the NR workers were busy nearly all of NS nanoseconds, which they have
 * been in LIST.
 */
void request_load_say(const struct request_load *list, size_t nr, uint64_t ns, struct strbuf *out);

#endif
