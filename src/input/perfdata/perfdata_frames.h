/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Adds the maps, frames, stacks and rows of samples to a recording, each once. */
#ifndef INPUT_PERFDATA_PERFDATA_FRAMES_H
#define INPUT_PERFDATA_PERFDATA_FRAMES_H

#include "lib/table.h"
#include "model/recording.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct perfdata_files;
struct perfdata_jit;
struct perfdata_space;
struct perfdata_span;

struct perfdata_frames {
	struct recording *rec;
	struct perfdata_files *files;
	struct perfdata_jit *jit;
	uint64_t time;       /* of the sample, or 0 */
	struct table maps;   /* file, place -> map */
	struct table frames; /* map, compiled function or space, address -> frame */
	struct table stacks; /* hash, kind and end -> stack + 1 */
	struct table chains; /* hash of addresses, space -> stack + 1 */
	struct table pairs;  /* stacks of a row -> their number + 1 */
	struct table rows;   /* -> row + 1 */
	uint32_t *list;      /* frames of the stack that is made now */
	size_t nr, alloc;
};

void perfdata_frames_init(struct perfdata_frames *fs, struct recording *rec,
	struct perfdata_files *files, struct perfdata_jit *jit);
void perfdata_frames_release(struct perfdata_frames *fs);

/* Begins a stack, to which frames are added leaf first. */
void perfdata_frames_begin(struct perfdata_frames *fs);
/* SPAN is the mapping of ADDRESS, or NULL. CALL tells that it is a return address. */
void perfdata_frames_user(struct perfdata_frames *fs, const struct perfdata_span *span,
	uint32_t pid, uint64_t address, bool call);
/* Adds a frame to the recording that is in no stack. Returns its number. */
uint32_t perfdata_frames_alone(struct perfdata_frames *fs, const struct perfdata_span *span,
	uint32_t pid, uint64_t address);
void perfdata_frames_kernel(struct perfdata_frames *fs, uint64_t address, bool call);
/* Adds a frame of which only the name of its machine is known, such as "[guest]". */
void perfdata_frames_other(struct perfdata_frames *fs, const char *name);
/* Returns the number of the stack. */
uint32_t perfdata_frames_end(
	struct perfdata_frames *fs, enum stack_kind kind, enum stack_end end, uint32_t cut_by);

/*
 * Returns where to keep the number + 1 of the stack with these ADDRESSES in the space of this
 * number, which is 0 if it was not kept.
 */
uint32_t *perfdata_frames_chain(
	struct perfdata_frames *fs, const uint64_t *addresses, size_t nr, uint64_t space);

/* Adds to the row of these stacks, which may be NO_STACK. Returns the row. */
struct rec_row *perfdata_frames_row(struct perfdata_frames *fs, uint32_t event, uint32_t task,
	const uint32_t stacks[2], uint32_t labels, uint64_t sum);

#endif
