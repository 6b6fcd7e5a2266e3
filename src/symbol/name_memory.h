/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Remembers the names that were found in files with a build-id, so that the recordings of one
 * recorder need each file only for code that is new.
 */
#ifndef SYMBOL_NAME_MEMORY_H
#define SYMBOL_NAME_MEMORY_H

#include "lib/strpool.h"
#include "lib/table.h"
#include "model/recording.h"
#include "resolve.h"

struct name_memory {
	struct strpool strings;
	struct table by_place; /* build-id, link address and whether it is a call -> known */
	struct known_frame {
		uint32_t first, nr; /* in names; none if the file has no name for it */
		uint64_t start;     /* as in struct rec_frame */
		bool cold;
	} * known;
	size_t nr_known, known_alloc;
	struct rec_name *names; /* their strings are in strings */
	size_t nr_names, names_alloc;
};

void name_memory_init(struct name_memory *m);
void name_memory_release(struct name_memory *m);

/*
 * Works like symbol_resolve(), but looks only for frames that are new. OPTIONS may not ask for
 * lines or inlined calls. Forgets everything when there is too much of it.
 */
void name_memory_resolve(struct name_memory *m, struct recording *rec,
	const struct symbol_options *options, struct strbuf *notes);

#endif
