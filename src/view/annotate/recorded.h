/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions of a recording, including inlined functions, by the names that views show and by
 * their modules, with their weights.
 */
#ifndef VIEW_ANNOTATE_RECORDED_H
#define VIEW_ANNOTATE_RECORDED_H

#include "lib/strpool.h"
#include "lib/table.h"
#include "model/recording.h"
#include "symbol/names/demangler.h"

#include <stdbool.h>

enum { NO_FUNCTION = UINT32_MAX };

struct recorded_function {
	uint32_t name, module; /* in names */
	uint32_t mangled;      /* in names: one of its names in a symbol table, or 0 */
	enum frame_kind kind;  /* of a frame that is in its code */
	bool at_address;       /* its frames are in a mapping or in a kernel */
	bool has_line;         /* it has no address, but a source line: an interpreter's function */
	bool out_of_line;      /* it has code of its own, with samples */
	uint64_t self, total;  /* including functions that are inlined into it */
};

struct recorded {
	struct strpool names;
	struct recorded_function *list;
	uint32_t nr;
	size_t alloc;
	struct table by_name;  /* maps shown name and module to number */
	struct table by_label; /* maps mangled name and module to number + 1 */
	uint32_t *of_name;     /* for each name of the recording, its function */
	uint32_t *of_frame;    /* for each frame, the function whose code it is in */
	uint64_t weight;       /* weight of all rows */
	bool is_part;          /* there are too many frames to add all */
};

/* REC has names and inlined calls. */
void recorded_init(struct recorded *r, const struct recording *rec,
	const struct recording_view *view, enum demangle how);
void recorded_release(struct recorded *r);

const char *recorded_name(const struct recorded *r, uint32_t function);
const char *recorded_module(const struct recorded *r, uint32_t function);

/* Returns the function with the name MANGLED in MODULE, or NO_FUNCTION if it has no samples. */
uint32_t recorded_find(struct recorded *r, const char *mangled, const char *module);

#endif
