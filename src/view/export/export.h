/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Properties of frames as other programs' formats have them. */
#ifndef VIEW_EXPORT_EXPORT_H
#define VIEW_EXPORT_EXPORT_H

#include "model/profile.h"

#include <stddef.h>
#include <stdint.h>

struct strbuf;

/*
 * Appends the frame's name, without source line. Wakers keep their suffix, _[w]: these formats
 * identify functions by name only, and a waker runs in another thread.
 */
void export_name(const struct profile *p, uint32_t frame, struct strbuf *out);

/*
 * Returns the file that contains the frame's code, or a name in brackets, or "" if it is unknown or
 * there is none. The kernel has the name that perf uses. The result is valid until a frame is
 * added.
 */
const char *export_module(const struct profile *p, uint32_t frame);

struct export_source {
	const char *file; /* not NUL-terminated, valid until a frame is added */
	size_t len;       /* 0 if unknown */
	uint32_t line;    /* 0 if unknown */
};
struct export_source export_source(const struct profile *p, uint32_t frame);

/* Appends P in pprof's format, not compressed. */
void export_pprof_bytes(const struct profile *p, struct strbuf *out);

/* Appends P's title, if it has one, and the unit of weights, if SCALE is not 1. */
void export_title(const struct profile *p, uint64_t scale, struct strbuf *out);

#endif
