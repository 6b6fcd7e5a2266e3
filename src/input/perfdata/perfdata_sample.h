/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The fields of a sample and of the trailer of other records, see perf_event_open(2). */
#ifndef INPUT_PERFDATA_PERFDATA_SAMPLE_H
#define INPUT_PERFDATA_PERFDATA_SAMPLE_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Numbers are 0, and pointers NULL, for fields that the event does not have. */
struct perfdata_sample {
	uint64_t ip, time, period, cgroup;
	uint32_t pid, tid;
	bool has_ip, has_period;
	const uint64_t *chain; /* addresses and marks, leaf first */
	uint64_t nr_chain;
	/*
	 * What the events that are read together have counted so far, COUNT_WORDS for each of them:
	 * its value and identifier, and maybe more.
	 */
	const uint64_t *counts;
	uint64_t nr_counts;
	unsigned count_words;
	const unsigned char *raw; /* the data of a tracepoint */
	uint32_t raw_size;
	/*
	 * What the processor has recorded of branches (LBR): from, to, flags; the last one first.
	 * These are all taken branches or, if are_calls is set, the calls that have not returned.
	 */
	const uint64_t *branches;
	uint64_t nr_branches;
	bool are_calls;
	uint64_t abi; /* 2 for 64 bits, or 0 without registers */
	const uint64_t *regs;
	const unsigned char *stack;
	uint64_t stack_size;
};

/* Where the identifier and the time of records are. */
struct perfdata_places {
	int id, time;           /* words from the begin of a sample's fields, or -1 */
	int id_back, time_back; /* words from the end of other records, or 0 */
};

struct perfdata_places perfdata_places_of(const struct perf_event_attr *attr);

/* Return a word of a record, or 0 if it is not there. NR is the record's number of words. */
uint64_t perfdata_record_id(
	const struct perfdata_places *places, bool is_sample, const uint64_t *record, size_t nr);
uint64_t perfdata_record_time(
	const struct perfdata_places *places, bool is_sample, const uint64_t *record, size_t nr);

/* Returns the time of the RECORD, which may lie at any address, or 0 if it has none. */
uint64_t perfdata_time(const struct perfdata_places *places, const struct perf_event_header *header,
	const unsigned char *record);

/* Reads the NR words of a sample's record. Returns false if its fields do not fit. */
bool perfdata_sample_read(struct perfdata_sample *sample, const struct perf_event_attr *attr,
	const uint64_t *record, size_t nr);

#endif
