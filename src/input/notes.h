/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Frames whose name is in brackets are not functions. They are either
 * - a note of the profiler (FRAME_NOTE): [truncated], [broken], [lost], [unreadable],
 *   [Missed User Stack], [Missed Kernel Stack], names that begin with "[no " or contain ": ", such
 *   as [truncated: libfoo.so], and the states of waits (waits.h); or
 * - an unnamed frame, an address without a name (kind user, kernel, …): [unknown] or, if the module
 *   is known, the module's file name: [libfoo.so], [vdso], [kernel].
 * A function whose start is known, but which has no symbol, is an unnamed frame as well:
 * libfoo.so+0x1230, or libfoo.so+0x1230.cold for the start of its cold part.
 */
#ifndef INPUT_NOTES_H
#define INPUT_NOTES_H

#include "model/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct strbuf;

/*
 * Whether the LEN bytes of NAME name a note (name_is_note) or an unnamed frame (name_is_unnamed).
 */
bool name_is_note(const char *name, size_t len);
bool name_is_unnamed(const char *name, size_t len);

/*
 * Returns the length of FILE in FILE+0xSTART, the name of a function without a symbol, or 0 if NAME
 * has another form.
 */
size_t name_of_start(const char *name, size_t len);

/* Whether a frame of P is an unnamed frame. Notes and tasks are not. */
bool frame_is_unnamed(const struct profile *p, uint32_t frame);

/*
 * Returns the module with the largest weight of unnamed frames, or a name such as "[libfoo.so]" if
 * the module is unknown, or NULL if all frames have names. P is finished. The result is valid until
 * a frame is added.
 */
const char *module_least_named(const struct profile *p);

/* Sets NAME to the name of an unnamed frame in MODULE. LEN is 0 if the module is unknown. */
void set_unnamed(struct strbuf *name, const char *module, size_t len);

/* Return the label of the note NAME, and its frame in P. */
enum frame_label note_label(const char *name, size_t len);
uint32_t note_frame(struct profile *p, const char *name, size_t len);

/*
 * Whether NOTE, NUL-terminated, marks a stack as truncated (note_is_cut) or as broken
 * (note_is_broken).
 */
bool note_is_cut(const char *note);
bool note_is_broken(const char *note);

#endif
