/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Seals a recording in the making: judges how its stacks ended, splices the stacks of interpreters
 * into user stacks, and names what only this machine can name.
 */
#ifndef ENGINE_SEAL_H
#define ENGINE_SEAL_H

#include <stdint.h>

struct engine_request;
struct facets;
struct kallsyms;
struct memberships;
struct processes;
struct recording;
struct samples;
struct strbuf;

/* What is known besides the samples. */
struct seal_facts {
	const struct processes *ps; /* have the mappings of user frames */
	struct memberships *ms;     /* has the labels of processes, or NULL */
	const struct kallsyms *ks;  /* has the names of kernel frames, or NULL */
	const uint32_t *labels;     /* the sets that rows get in place of their sets, or NULL */
	const struct engine_request *request; /* or NULL if the tool adds nothing to the rows */
};

/*
 * Adds the events, tasks, stacks, rows and losses of S to REC, which has none yet, rows with the
 * largest sums first. Converts sums to the event's unit. May be called again when S has more
 * samples: the same samples give the same recording.
 */
void recording_seal(struct recording *rec, const struct samples *s, const struct seal_facts *facts);

/*
 * Adds facets to FS that ask PS for the names of their compiled code, if R wants them. Processes
 * are asked early if their end stops the recording: unless all or a selection are recorded.
 */
void seal_ask_names(const struct engine_request *r, struct facets *fs, struct processes *ps);

/*
 * Asks those with samples in compiled code. To be called before recording_seal(). NOTES are for the
 * user.
 */
void seal_jit_names(const struct samples *s, const struct processes *ps, const struct facets *fs,
	struct strbuf *notes);

#endif
