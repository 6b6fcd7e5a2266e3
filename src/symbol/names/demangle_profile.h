/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Demangles the function names of whole profiles and recordings. */
#ifndef SYMBOL_NAMES_DEMANGLE_PROFILE_H
#define SYMBOL_NAMES_DEMANGLE_PROFILE_H

#include "demangle.h"
#include "model/recording.h"

struct demangler;

/*
 * Demangles the frame names of the N PROFILES and appends each frame's source to its name.
 * Different functions keep different names across all profiles. Where their short forms are equal,
 * longer forms are used.
 */
void demangle_profiles(struct profile **profiles, size_t n, enum demangle how);

/* Demangles the function names in REC for programs that do not demangle. Sources stay separate. */
void demangle_recording(struct recording *rec, enum demangle how);

/*
 * Adds the functions of all frames of REC to D, except an interpreter's frames, and settles D.
 * Returns their numbers in D, indexed by the number of the name in REC, or 0 for names that do not
 * change. The caller frees the array.
 */
uint32_t *demangler_add_recording(struct demangler *d, const struct recording *rec);

#endif
