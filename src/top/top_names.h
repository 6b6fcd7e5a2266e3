/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of addresses that were looked up before, so that the files are not read again for each
 * recording of the same processes.
 */
#ifndef TOP_TOP_NAMES_H
#define TOP_TOP_NAMES_H

#include "lib/strpool.h"
#include "lib/table.h"
#include "model/recording.h"

struct symbol_options;

struct top_names {
	struct table by_address; /* number in list, from 1 */
	struct top_name {
		uint32_t first, nr; /* in names */
	} * list;
	size_t nr, alloc;
	struct rec_name *names; /* in strings */
	size_t nr_names, names_alloc;
	struct strpool strings;
};

void top_names_init(struct top_names *n);
void top_names_release(struct top_names *n);

/*
 * Gives names to the frames of REC, and looks up those that are not known. Frames of files without
 * a name for them get the name that they are shown by, and are not looked up again.
 */
void top_names_resolve(
	struct top_names *n, struct recording *rec, const struct symbol_options *options);

#endif
