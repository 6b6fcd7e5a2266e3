/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Measures in the kernel how long nginx's requests take, with uprobes. */
#ifndef TOOL_REQUESTS_REQUEST_TIMING_H
#define TOOL_REQUESTS_REQUEST_TIMING_H

#include "request_times.h"

#include <stddef.h>

struct bpf_link;
struct bpf_object;
struct ring_buffer;
struct strbuf;

/* The probed functions. */
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

/* The names of the functions in nginx. */
extern const char *const times_functions[TIMES_PROBES];

struct request_timing_begin {
	const char *path;              /* the file, as this process sees it */
	uint64_t offset[TIMES_PROBES]; /* in the file, or 0 to leave out the probe */
	uint32_t pid;                  /* the process that counts with its descendants */
	bool only;                     /* the process has no descendants */
	struct times_settings settings;
	struct nginx_layout layout;
};

struct request_timing {
	struct request_timing_begin begin; /* without the path */
	int file;                          /* the file with the functions, open */
	struct bpf_object *object;
	struct bpf_link *links[TIMES_PROBES];
	struct ring_buffer *ring;
	struct times_control control;
	uint64_t end_ns;     /* monotonic time, or UINT64_MAX if it is not known */
	uint64_t covered_ns; /* how long requests were counted up to the last pause */
	bool is_on;          /* the probes are attached */
	/* The records that were read; the caller empties the lists. */
	struct times_text *texts;
	size_t nr_texts, texts_alloc;
	struct times_request *requests;
	size_t nr_requests, requests_alloc;
};

/*
 * Counts the requests that end from now on, for LENGTH_NS, or until request_timing_pause() if that
 * is 0. Returns -1 on error; ERR then tells the reason and what to do. Call
 * request_timing_release() in any case.
 */
int request_timing_begin(struct request_timing *t, const struct request_timing_begin *begin,
	int64_t length_ns, struct strbuf *err);

/* Stops counting and removes the probes; the counts stay. */
void request_timing_pause(struct request_timing *t);

/*
 * Counts again, until the end if it is known. Requests that started earlier are timed by nginx's
 * clock. Returns -1 on error, with ERR as above.
 */
int request_timing_resume(struct request_timing *t, struct strbuf *err);

/* Appends the records that have arrived since the last call to the lists. */
void request_timing_read(struct request_timing *t);

/* Sets whether requests with the text VALUE as the value of `where` are counted from now on. */
void request_timing_decide(struct request_timing *t, uint64_t value, bool matches);

/*
 * Drops the lists of the slowest requests of values that are decided on, which need none of their
 * own. To be called after decisions.
 */
void request_timing_forget_decided(const struct request_timing *t);

/*
 * Forgets the PID of the root process, which has ended, because another process may get that PID.
 */
void request_timing_root_ended(struct request_timing *t);

/* Drops entries of processes that have ended. To be called every few seconds. */
void request_timing_forget_ended(const struct request_timing *t);

/* Returns whether any process whose requests count, other than PID, is alive. */
bool request_timing_any_lives(const struct request_timing *t, uint32_t pid);

void request_timing_release(struct request_timing *t);

/*
 * Reads the row that follows KEY, or the first one if KEY is NULL, in no particular order. Returns
 * false if there are no more.
 */
bool request_timing_next(const struct request_timing *t, const struct times_key *key,
	struct times_key *next, struct times_row *row);

struct times_losses request_timing_lost(const struct request_timing *t);

#endif
