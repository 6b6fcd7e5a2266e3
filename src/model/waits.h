/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * States of threads that do not run, as the label "state" of a recording's rows: one letter each,
 * as ps(1) has them, and W for one that was woken and has no processor yet. Bits of the option
 * --state are in the order of wait_letters.
 */
#ifndef MODEL_WAITS_H
#define MODEL_WAITS_H

#include <stdbool.h>
#include <stddef.h>

#define wait_letters "SDTtRWIP"

/* What a picture says of a state, "[preempted]"; NULL: it is none of these. */
const char *wait_note(const char *state);

/*
 * Whether a note in a text or picture is what recording_add_state makes of a state: "[preempted]",
 * "[tag: x]". Recordings have labels.
 */
bool wait_is_note(const char *name, size_t len);

#endif
