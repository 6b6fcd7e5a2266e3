/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Frames whose name is in brackets are not functions. They are either
 * - a note of the profiler (FRAME_NOTE): [truncated], [broken], [lost], [unreadable],
 *   [Missed User Stack], [Missed Kernel Stack], names that begin with "[no " or contain ": ", such
 *   as [truncated: libfoo.so], and the states of waits (waits.h); or
 * - an unnamed frame, an address without a name (kind user, kernel, …): [unknown], or, if its
 *   module is known, the file name of that: [libfoo.so], [vdso], [kernel].
 * A function without a symbol whose start is known is an unnamed frame, too: libfoo.so+0x1230, and
 * libfoo.so+0x1230.cold for the start of a part of it.
 */
#ifndef INPUT_NOTES_H
#define INPUT_NOTES_H

#include "model/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct strbuf;

/* Whether the LEN bytes of NAME are a note; an unnamed frame. */
bool name_is_note(const char *name, size_t len);
bool name_is_unnamed(const char *name, size_t len);

/* The length of FILE in the name FILE+0xSTART of a function without a symbol; 0: something else. */
size_t name_of_start(const char *name, size_t len);

/* Whether a frame of P is an unnamed frame; false for notes and tasks. */
bool frame_is_unnamed(const struct profile *p, uint32_t frame);

/* Sets NAME to the name of an unnamed frame in MODULE (LEN 0: unknown). */
void set_unnamed(struct strbuf *name, const char *module, size_t len);

/* The frame of the note NAME in P, and its label. */
enum frame_label note_label(const char *name, size_t len);
uint32_t note_frame(struct profile *p, const char *name, size_t len);

/* Whether NOTE, NUL-terminated, marks a stack as truncated; as broken. */
bool note_is_cut(const char *note);
bool note_is_broken(const char *note);

#endif
