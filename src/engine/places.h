/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where frames lie: from addresses to a recording's maps, frames and stacks. */
#ifndef ENGINE_PLACES_H
#define ENGINE_PLACES_H

#include "lib/table.h"
#include "model/recording.h"
#include "process/process.h"
#include "vm/perl/splice.h"

struct places {
	const struct processes *ps;
	const struct kallsyms *ks; /* NULL: kernel frames have no names */
	struct recording *rec;
	struct table maps;   /* mapping -> map */
	struct table frames; /* map or kind, address -> frame */
	struct table perl;   /* function, file and line -> frame */
	struct splice_code *codes;
	size_t nr_codes, codes_alloc;
	struct table by_object; /* object -> place in codes */
	uint32_t inconsistent;  /* the frame that says so, + 1 */
};

void places_init(struct places *pl, const struct processes *ps, const struct kallsyms *ks,
	struct recording *rec);
void places_release(struct places *pl);

/* The recording's frame for ADDRESS in M, NULL: in no mapping. CALL: it is a return address. */
uint32_t places_user_frame(struct places *pl, const struct mapping *m, uint64_t address, bool call);

/* How many frames at the leaf of a kernel stack are those of the program that took it. */
size_t places_own_frames(const struct places *pl, const uint64_t *addresses, size_t nr);

/* A kernel frame of which only its name is known, OFFSET bytes into the function. */
uint32_t places_named_frame(
	struct places *pl, const char *name, const char *module, uint64_t offset);

/*
 * A frame of Perl at a line of a file; numbers of strings of the recording, 0: not known. Without a
 * function nobody knows what it is.
 */
uint32_t places_perl_frame(struct places *pl, uint32_t function, uint32_t file, uint32_t line);

/*
 * Adds the Perl stack of NR frames, leaf first; where END tells that there is none, one of a note
 * that says so.
 */
uint32_t places_perl_stack(struct places *pl, enum perl_end end, const uint32_t *frames, size_t nr);

/* What the function at ADDRESS, of a leaf or a call, in M is for Perl. */
enum splice_role places_role(struct places *pl, const struct mapping *m, uint64_t address);

/*
 * Adds the user stack that C and Perl frames of S make, by their numbers as frames. END and CUT_BY
 * are of the former; but the stack is broken when Perl's are inconsistent, and cut where Perl's
 * alone are.
 */
uint32_t places_mixed_stack(
	struct places *pl, struct splice *s, enum stack_end end, uint32_t cut_by);

/* Adds the kernel stack of NR addresses, leaf first. */
uint32_t places_kernel_stack(struct places *pl, const uint64_t *addresses, size_t nr);

/* What cut a stack whose last address is in M; the recording's string. */
uint32_t places_cut_by(struct places *pl, const struct mapping *m);

#endif
