/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "perfdata_sample.h"
#include "perfdata_format.h"

#include <string.h>

enum { HEADER_WORDS = 1 };

/* A newer flag of branch_sample_type: words with counters follow the branches. */
#define BRANCH_COUNTERS (1U << 19)

struct perfdata_places perfdata_places_of(const struct perf_event_attr *attr)
{
	static const uint64_t before_time[] = {
		PERF_SAMPLE_IDENTIFIER, PERF_SAMPLE_IP, PERF_SAMPLE_TID};
	static const uint64_t before_id[] = {
		PERF_SAMPLE_IP, PERF_SAMPLE_TID, PERF_SAMPLE_TIME, PERF_SAMPLE_ADDR};
	static const uint64_t after_id[] = {PERF_SAMPLE_STREAM_ID, PERF_SAMPLE_CPU};
	uint64_t type = attr->sample_type;
	struct perfdata_places p = {.id = -1, .time = -1};
	int time = 0, id = 0, back = 1;

	for (int i = 0; i < 3; i++)
		time += !!(type & before_time[i]);
	for (int i = 0; i < 4; i++)
		id += !!(type & before_id[i]);
	for (int i = 0; i < 2; i++)
		back += !!(type & after_id[i]);
	back += !!(type & PERF_SAMPLE_IDENTIFIER);
	if (type & PERF_SAMPLE_TIME)
		p.time = time;
	if (type & (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_ID))
		p.id = type & PERF_SAMPLE_IDENTIFIER ? 0 : id;
	if (!attr->sample_id_all)
		return p;
	if (type & PERF_SAMPLE_TIME)
		p.time_back = back + !!(type & PERF_SAMPLE_ID);
	if (type & (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_ID))
		p.id_back = type & PERF_SAMPLE_IDENTIFIER ? 1 : back;
	return p;
}

static uint64_t word_at(const uint64_t *record, size_t nr, bool is_sample, int at, int back)
{
	if (is_sample)
		return at >= 0 && (size_t)at + HEADER_WORDS < nr ? record[HEADER_WORDS + at] : 0;
	return back && (size_t)back + HEADER_WORDS <= nr ? record[nr - (size_t)back] : 0;
}

uint64_t perfdata_record_id(
	const struct perfdata_places *places, bool is_sample, const uint64_t *record, size_t nr)
{
	return word_at(record, nr, is_sample, places->id, places->id_back);
}

uint64_t perfdata_record_time(
	const struct perfdata_places *places, bool is_sample, const uint64_t *record, size_t nr)
{
	return word_at(record, nr, is_sample, places->time, places->time_back);
}

uint64_t perfdata_time(const struct perfdata_places *places, const struct perf_event_header *header,
	const unsigned char *record)
{
	uint64_t words[8], time;
	size_t nr = header->size / 8, n = nr < 8 ? nr : 8;
	bool is_sample = header->type == PERFDATA_SAMPLE;

	if (header->type >= PERFDATA_OWN)
		return 0;
	/* the places are near the begin of samples, and near the end of other records */
	memcpy(words, record + (is_sample ? 0 : (nr - n) * 8), n * 8);
	time = perfdata_record_time(places, is_sample, words, n);
	return time == UINT64_MAX ? 0 : time;
}

/* The rest of a record. */
struct words {
	const uint64_t *at, *end;
	bool bad;
};

static const uint64_t *take(struct words *w, uint64_t n)
{
	const uint64_t *at = w->at;

	if ((uint64_t)(w->end - w->at) < n) {
		w->bad = true;
		w->at = w->end;
		return NULL;
	}
	w->at += n;
	return at;
}

static uint64_t word(struct words *w)
{
	const uint64_t *at = take(w, 1);

	return at ? *at : 0;
}

static uint64_t word_if(struct words *w, bool is_there)
{
	return is_there ? word(w) : 0;
}

static void read_counts(struct perfdata_sample *s, struct words *w, uint64_t format)
{
	unsigned times = !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) +
			 !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING),
		 one = 1 + !!(format & PERF_FORMAT_ID) + !!(format & 1U << 4 /* lost */);
	uint64_t nr = format & PERF_FORMAT_GROUP ? word(w) : 1;

	take(w, times);
	if (nr > (uint64_t)(w->end - w->at)) {
		w->bad = true;
		return;
	}
	s->counts = take(w, nr * one);
	if (s->counts && format & PERF_FORMAT_GROUP && format & PERF_FORMAT_ID)
		s->nr_counts = nr;
	s->count_words = one;
}

/* Reads bytes behind their 32-bit size; both together fill words. */
static void read_raw(struct perfdata_sample *s, struct words *w)
{
	const unsigned char *bytes = (const unsigned char *)w->at;
	uint32_t size;

	if (w->at == w->end) {
		w->bad = true;
		return;
	}
	memcpy(&size, w->at, sizeof(size));
	take(w, ((uint64_t)size + sizeof(size) + 7) / 8);
	if (w->bad)
		return;
	s->raw = bytes + sizeof(size);
	s->raw_size = size;
}

static void read_branches(
	struct perfdata_sample *s, const struct perf_event_attr *attr, struct words *w)
{
	uint64_t nr = word(w), type = attr->branch_sample_type;

	word_if(w, type & PERF_SAMPLE_BRANCH_HW_INDEX);
	if (nr > (uint64_t)(w->end - w->at)) {
		w->bad = true;
		return;
	}
	const uint64_t *branches = take(w, nr * PERFDATA_BRANCH_WORDS);

	if (type & BRANCH_COUNTERS)
		take(w, nr);
	s->are_calls = type & PERF_SAMPLE_BRANCH_CALL_STACK;
	if (branches && (s->are_calls || type & PERF_SAMPLE_BRANCH_ANY)) {
		s->branches = branches;
		s->nr_branches = nr;
	}
}

static void read_stack(struct perfdata_sample *s, struct words *w)
{
	uint64_t size = word(w);
	const uint64_t *bytes;

	if (!size)
		return;
	bytes = take(w, size / 8);
	s->stack = (const unsigned char *)bytes;
	s->stack_size = word(w);
	if (size % 8 || s->stack_size > size)
		w->bad = true;
}

static void read_first(struct perfdata_sample *s, uint64_t type, struct words *w)
{
	uint64_t ids = 0;

	word_if(w, type & PERF_SAMPLE_IDENTIFIER);
	s->has_ip = type & PERF_SAMPLE_IP;
	s->ip = word_if(w, s->has_ip);
	ids = word_if(w, type & PERF_SAMPLE_TID);
	s->pid = (uint32_t)ids;
	s->tid = (uint32_t)(ids >> 32);
	s->time = word_if(w, type & PERF_SAMPLE_TIME);
	s->time = s->time < PERFDATA_NO_TIME ? s->time : 0;
	word_if(w, type & PERF_SAMPLE_ADDR);
	word_if(w, type & PERF_SAMPLE_ID);
	word_if(w, type & PERF_SAMPLE_STREAM_ID);
	word_if(w, type & PERF_SAMPLE_CPU);
	s->has_period = type & PERF_SAMPLE_PERIOD;
	s->period = word_if(w, s->has_period);
}

bool perfdata_sample_read(struct perfdata_sample *s, const struct perf_event_attr *attr,
	const uint64_t *record, size_t nr)
{
	struct words w = {record + HEADER_WORDS, record + nr, nr < HEADER_WORDS};
	uint64_t type = attr->sample_type;

	*s = (struct perfdata_sample){0};
	if (w.bad)
		return false;
	read_first(s, type, &w);
	if (type & PERF_SAMPLE_READ)
		read_counts(s, &w, attr->read_format);
	if (type & PERF_SAMPLE_CALLCHAIN) {
		s->nr_chain = word(&w);
		s->chain = take(&w, s->nr_chain);
	}
	if (type & PERF_SAMPLE_RAW)
		read_raw(s, &w);
	if (type & PERF_SAMPLE_BRANCH_STACK)
		read_branches(s, attr, &w);
	if (type & PERF_SAMPLE_REGS_USER && (s->abi = word(&w)))
		s->regs = take(&w, (uint64_t)__builtin_popcountll(attr->sample_regs_user));
	if (type & PERF_SAMPLE_STACK_USER)
		read_stack(s, &w);
	word_if(&w, type & (PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT));
	word_if(&w, type & PERF_SAMPLE_DATA_SRC);
	word_if(&w, type & PERF_SAMPLE_TRANSACTION);
	if (type & PERF_SAMPLE_REGS_INTR && word(&w))
		take(&w, (uint64_t)__builtin_popcountll(attr->sample_regs_intr));
	word_if(&w, type & PERF_SAMPLE_PHYS_ADDR);
	s->cgroup = word_if(&w, type & PERF_SAMPLE_CGROUP);
	return !w.bad;
}
