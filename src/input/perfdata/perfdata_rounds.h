/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Puts records in the order of time. perf reads the buffers of all processors in turn, and writes a
 * record at the end of each round: what is older than the round before is complete then.
 */
#ifndef INPUT_PERFDATA_PERFDATA_ROUNDS_H
#define INPUT_PERFDATA_PERFDATA_ROUNDS_H

#include <stddef.h>
#include <stdint.h>

struct perfdata_rounds {
	uint64_t *words; /* records, each at a multiple of 8 bytes */
	size_t nr_words, words_alloc;
	struct perfdata_waiting {
		uint64_t time;
		size_t at;
	} * waiting;
	size_t nr, alloc;
	uint64_t latest;   /* time of all records so far */
	uint64_t complete; /* records up to this time are complete at the end of the round */
	void (*deliver)(void *arg, const uint64_t *record, uint64_t time);
	void *arg;
};

void perfdata_rounds_init(struct perfdata_rounds *r,
	void (*deliver)(void *arg, const uint64_t *record, uint64_t time), void *arg);
void perfdata_rounds_release(struct perfdata_rounds *r);

/* Adds a copy of the SIZE bytes of RECORD. */
void perfdata_rounds_add(
	struct perfdata_rounds *r, const unsigned char *record, size_t size, uint64_t time);

/* Delivers what is complete at the end of a round. */
void perfdata_rounds_finish(struct perfdata_rounds *r);

/* Delivers all that waits. */
void perfdata_rounds_flush(struct perfdata_rounds *r);

#endif
