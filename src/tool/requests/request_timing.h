/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Adds up in the kernel how long nginx's requests take, by uprobes. */
#ifndef TOOL_REQUESTS_REQUEST_TIMING_H
#define TOOL_REQUESTS_REQUEST_TIMING_H

#include "request_times.h"

#include <stddef.h>

struct bpf_link;
struct bpf_object;
struct ring_buffer;
struct strbuf;

/* The functions with probes. */
enum times_probe {
	TIMES_CREATE,
	TIMES_FREE,
	/* only for phases */
	TIMES_HEAD,
	TIMES_CONTENT,
	TIMES_ANSWER,
	TIMES_WAIT_END,
	TIMES_HANDLED,
	TIMES_PROBES,
};

/* Their names in nginx. */
extern const char *const times_functions[TIMES_PROBES];

struct request_timing_begin {
	const char *path;              /* the file, as we see it */
	uint64_t offset[TIMES_PROBES]; /* in the file; 0: without that probe */
	uint32_t pid;                  /* whose descendants count, and itself */
	bool only;                     /* it has no descendants */
	struct times_settings settings;
	struct nginx_layout layout;
};

struct request_timing {
	struct request_timing_begin begin; /* but for the path */
	int file;                          /* the file with the functions, open */
	struct bpf_object *object;
	struct bpf_link *links[TIMES_PROBES];
	struct ring_buffer *ring;
	struct times_control control;
	uint64_t end_ns;     /* monotonic time; UINT64_MAX: not known */
	uint64_t covered_ns; /* how long requests were counted, until the last pause */
	bool is_on;          /* the probes are there */
	/* What was read; the caller empties the lists. */
	struct times_text *texts;
	size_t nr_texts, texts_alloc;
	struct times_request *requests;
	size_t nr_requests, requests_alloc;
};

/*
 * Counts the requests that end from now on, for LENGTH_NS, 0: until request_timing_pause(). -1 and
 * ERR: why not, and what to do. T is to be released in any case.
 */
int request_timing_begin(struct request_timing *t, const struct request_timing_begin *begin,
	int64_t length_ns, struct strbuf *err);

/* Counts nothing more, and takes the probes away; what was counted stays. */
void request_timing_pause(struct request_timing *t);

/*
 * Counts again, until the end if it is known. Requests that started earlier are timed by nginx's
 * clock. -1 and ERR as above.
 */
int request_timing_resume(struct request_timing *t, struct strbuf *err);

/* Adds what has come since the last call to the lists. */
void request_timing_read(struct request_timing *t);

/* Whether requests with that text, as the value of `where`, are counted from now on. */
void request_timing_decide(struct request_timing *t, uint64_t value, bool matches);

/* To be called after decisions: values that are decided on need no list of their slowest. */
void request_timing_forget_decided(const struct request_timing *t);

/* The process whose descendants count has ended: its PID may become another's. */
void request_timing_root_ended(struct request_timing *t);

/* Drops what is kept of processes that have ended; to be called every few seconds. */
void request_timing_forget_ended(const struct request_timing *t);

/* True if one of the processes whose requests count, other than PID, lives. */
bool request_timing_any_lives(const struct request_timing *t, uint32_t pid);

void request_timing_release(struct request_timing *t);

/* The row after KEY, of those so far, in no order; NULL: the first. False: none. */
bool request_timing_next(const struct request_timing *t, const struct times_key *key,
	struct times_key *next, struct times_row *row);

struct times_losses request_timing_lost(const struct request_timing *t);

#endif
