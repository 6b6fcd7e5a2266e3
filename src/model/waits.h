/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * States of threads that are not running, as the label "state" of a recording's rows: one letter
 * each, as in ps(1), and W for a thread that was woken but has no processor yet. The bits of the
 * option --state are in the order of wait_letters.
 */
#ifndef MODEL_WAITS_H
#define MODEL_WAITS_H

#include <stdbool.h>
#include <stddef.h>

#define wait_letters "SDTtRWIP"

/* The note for a state, "[preempted]"; NULL: unknown. */
const char *wait_note(const char *state);

/* Whether NAME is one of these notes. */
bool wait_is_known(const char *name);

/*
 * Whether a note in a text or flame graph is one made by recording_add_state: "[preempted]",
 * "[tag: x]".
 */
bool wait_is_note(const char *name, size_t len);

#endif
