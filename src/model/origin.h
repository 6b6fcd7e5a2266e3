/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What was recorded, where, and by which engine. */
#ifndef MODEL_ORIGIN_H
#define MODEL_ORIGIN_H

struct strbuf;
struct timing;

/* Owned strings. NULL if unknown, or "" if they differ in several recordings. */
struct origin {
	char *target; /* "xz -9 a", "nginx 1302", "all processes" */
	char *host;
	char *engine; /* "bpf" */
};

void origin_release(struct origin *origin);
void origin_copy(struct origin *origin, const struct origin *from); /* ORIGIN is released first */

/* Adds the origin of another recording. */
void origin_add(struct origin *origin, const struct origin *other);

/* Appends what is known of "nginx 1302 · web1 · 2026-11-22 14:03:11 UTC · 5.0 s · 2 CPUs · bpf". */
void origin_add_line(const struct origin *origin, const struct timing *timing, struct strbuf *out);

#endif
