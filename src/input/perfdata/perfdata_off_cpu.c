/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "perfdata_off_cpu.h"
#include "lib/util.h"
#include "perfdata_format.h"
#include "perfdata_sample.h"

#include <linux/perf_event.h>
#include <string.h>

enum { WORDS_MAX = (UINT16_MAX + 1) / 8 /* of a record */ };

/* The raw field: the process and the thread, then these, and the cgroup behind the chain. */
enum { IDS, PERIOD, LENGTH, CHAIN };

bool perfdata_off_cpu_may_be(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE && attr->config == PERF_COUNT_SW_BPF_OUTPUT;
}

/* Returns the first address of the chain, or 0 if it is empty. */
static uint64_t leaf_of(const struct perfdata_sample *s)
{
	for (uint64_t i = 0; i < s->nr_chain; i++)
		if (s->chain[i] < PERFDATA_MARKS)
			return s->chain[i];
	return 0;
}

bool perfdata_off_cpu_read(struct perfdata_off_cpu *o, struct perfdata_sample *s)
{
	size_t nr = s->raw_size / sizeof(*o->words);

	if (!s->raw)
		return true;
	if (nr <= CHAIN || nr > WORDS_MAX)
		return false;
	if (!o->words)
		o->words = xcalloc(WORDS_MAX, sizeof(*o->words));
	memcpy(o->words, s->raw, nr * sizeof(*o->words));
	if (o->words[LENGTH] >= nr - CHAIN)
		return false;
	s->pid = (uint32_t)o->words[IDS];
	s->tid = (uint32_t)(o->words[IDS] >> 32);
	s->period = o->words[PERIOD];
	s->has_period = true;
	s->nr_chain = o->words[LENGTH];
	s->chain = o->words + CHAIN;
	s->cgroup = s->chain[s->nr_chain];
	s->ip = leaf_of(s);
	s->has_ip = s->ip;
	return true;
}
