/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A field of a tracepoint: its place in the data of a sample, and how its value is written. */
#ifndef INPUT_PERFDATA_PERFDATA_FIELD_H
#define INPUT_PERFDATA_PERFDATA_FIELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct strbuf;

enum perfdata_field_kind {
	FIELD_NONE, /* there is no such field, or nothing can be made of its value */
	FIELD_UNSIGNED,
	FIELD_SIGNED,
	FIELD_POINTER,
	FIELD_DEVICE,
	FIELD_TEXT,
	FIELD_DATA,     /* the place and the size of a text */
	FIELD_RELATIVE, /* the same, with the place from the field's end on */
};

struct perfdata_field {
	enum perfdata_field_kind kind;
	uint64_t offset, size;
	/* What the kernel prints for numbers. */
	struct perfdata_word {
		uint64_t number;
		char *text;
	} * words;
	size_t nr, alloc;
	bool are_flags;  /* the words are bits, of which several may be set */
	char *otherwise; /* what is printed if none of them is set, or NULL for the number */
};

/* Finds the field NAME in FORMAT, as in tracefs. FORMAT may be NULL. The caller releases it. */
struct perfdata_field perfdata_field_find(const char *format, const char *name);
void perfdata_field_release(struct perfdata_field *f);

/* Appends the value in the SIZE bytes of RAW. Returns false if it is not there. */
bool perfdata_field_value(
	const struct perfdata_field *f, const unsigned char *raw, size_t size, struct strbuf *out);

/* Appends the names of the fields in FORMAT, without the fields that all tracepoints have. */
void perfdata_field_names(const char *format, struct strbuf *out);

#endif
