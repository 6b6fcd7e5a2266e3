/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * States of threads, as in the label "state" of a recording's rows. Each is one letter, as in
 * ps(1), or W for a thread that was woken but has no processor yet, or C for a thread that is on a
 * processor. The bits of the option --state are in the order of wait_letters.
 */
#ifndef MODEL_WAITS_H
#define MODEL_WAITS_H

#include <stdbool.h>
#include <stddef.h>

#define wait_letters "SDTtRWIPC"

/* Returns the note for a state, such as "[preempted]", or NULL if it is unknown. */
const char *wait_note(const char *state);

/* Returns whether a thread in STATE waits. */
bool wait_is_off_cpu(const char *state);

/* Returns the number of the state in wait_letters whose note is NAME, or -1 if there is none. */
int wait_number(const char *name, size_t len);

/*
 * Returns true if a note in a text or flame graph was made by recording_add_state(), such as
 * "[preempted]" or "[tag: x]".
 */
bool wait_is_note(const char *name, size_t len);

#endif
