/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * States of threads that do not run, as the label "state" of a recording's rows: one letter each,
 * as ps(1) has them, and W for one that was woken and has no processor yet. A set of them is a sum
 * of bits, in the order of wait_letters; the scripts count on it.
 */
#ifndef MODEL_WAITS_H
#define MODEL_WAITS_H

#include <stdbool.h>
#include <stddef.h>

struct strbuf;

#define wait_letters "SDTtRWIP"

enum {
	WAITS_BLOCKED = 1 << 0 | 1 << 1 | 1 << 2 | 1 << 3, /* S D T t */
	WAITS_RUNNABLE = 1 << 4 | 1 << 5,                  /* R W */
	WAITS_ALL = 255,
};

/*
 * The states of a list such as "S,D" or "runnable,T"; 0: it is none. T stands for t, I for P, too.
 */
unsigned waits_parse(const char *list);

/* Adds "S,D,T". */
void waits_add(unsigned states, struct strbuf *out);

/* What a picture says of a state, "[preempted]"; NULL: it is none of these. */
const char *wait_note(const char *state);

/*
 * Whether a note in a text or picture is what recording_add_state makes of a state: "[preempted]",
 * "[tag: x]". Recordings have labels.
 */
bool wait_is_note(const char *name, size_t len);

#endif
