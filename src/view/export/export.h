/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the formats of other programs tell of a frame. */
#ifndef VIEW_EXPORT_EXPORT_H
#define VIEW_EXPORT_EXPORT_H

#include "model/profile.h"

#include <stddef.h>
#include <stdint.h>

struct strbuf;

/*
 * Appends the frame's name, without the source that is shown behind it. Wakers keep their suffix,
 * _[w]: these formats know a function by its name alone, and it ran in another thread.
 */
void export_name(const struct profile *p, uint32_t frame, struct strbuf *out);

/*
 * The file that holds the frame's code, or in brackets what else does; the kernel is called as perf
 * calls it. "": not known, or nothing does. Valid until a frame is added.
 */
const char *export_module(const struct profile *p, uint32_t frame);

struct export_source {
	const char *file; /* not NUL-terminated, valid until a frame is added */
	size_t len;       /* 0: not known */
	uint32_t line;    /* 0: not known */
};
struct export_source export_source(const struct profile *p, uint32_t frame);

/* Appends what P is called, if anything, and that weights are in units of SCALE, if not in 1. */
void export_title(const struct profile *p, uint64_t scale, struct strbuf *out);

#endif
