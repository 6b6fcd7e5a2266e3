/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Folded stacks: one a line, root first, ";" between frames, a blank and an unsigned integer at the
 * end. Kernel frames end in _[k], inlined in _[i], JIT in _[j], wakers in _[w]; bytes that would
 * break the line are written as word.h says.
 *
 * Between two frames, as the tools of bcc have it, "-" says that the kernel's follow, and "--"
 * those of a waker.
 *
 * A name in brackets is no function's name. It is one of
 * - a note, something the profiler says (FRAME_NOTE): [truncated], [broken], [lost], [no stack]
 *   and others with "[no ", [unreadable], [Missed User Stack], [Missed Kernel Stack], or anything
 * with ": " in it, as in [truncated: libfoo.so];
 * - an unnamed frame, an address that has no name (kind user, kernel, …): [unknown] when nothing is
 *   known, else [FILE], the last part of its module's path: [libfoo.so], [vdso], [kernel].
 */
#ifndef INPUT_FOLDED_H
#define INPUT_FOLDED_H

#include "model/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct strbuf;

/* Which of the two the LEN bytes of NAME are. */
bool name_is_note(const char *name, size_t len);

/* What a note's text says of a label, and its frame. */
enum frame_label note_label(const char *name, size_t len);
uint32_t note_frame(struct profile *p, const char *name, size_t len);
bool name_is_unnamed(const char *name, size_t len);
bool frame_is_unnamed(const struct profile *p, uint32_t frame);

/* Sets NAME to what a frame without a name is called after its module (LEN 0: not known). */
void set_unnamed(struct strbuf *name, const char *module, size_t len);

/* What the note NOTE, NUL-terminated, tells of its stack. */
bool note_is_cut(const char *note);
bool note_is_broken(const char *note);

/*
 * What a text tells of the account of a stack: how many of its frames have names, whether it ends
 * early.
 */
struct stack_account {
	uint64_t named, unnamed;
	bool cut, broken;
};
void stack_account_add_frame(
	struct stack_account *account, const struct profile *p, uint32_t frame);
void account_add_stack(struct account *account, const struct stack_account *stack, uint64_t weight);

/*
 * Sets in P's account what its tree tells: kept, named and unnamed, cut and broken; and whole,
 * where it is known.
 */
void profile_recount(struct profile *p);

/* The kind that the suffix of a frame tells; takes that off *LEN. */
enum frame_kind folded_kind(const char *s, size_t *len);

/*
 * Whether LINE, without blanks at its ends, ends in an unsigned integer of its own. As a
 * text_format: an empty frame becomes [unknown]; a line without such an integer, or with nothing
 * before it, is left out.
 */
bool folded_has_weight(const char *line, size_t len);

/* Appends a frame of a folded line: its name, escaped, and the suffix of its kind. */
void folded_frame_add(struct strbuf *out, const struct profile *p, uint32_t frame);

#endif
