/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fields of the records of tracepoints, from their format in tracefs. */
#ifndef TOOL_AT_AT_FIELDS_H
#define TOOL_AT_AT_FIELDS_H

#include "at.h"

struct strbuf;

/* Finds the number NAME in the format of the tracepoint. Returns -1 with ERR if there is none. */
int at_field_find(struct at_place *place, const char *group, const char *event, const char *name,
	struct strbuf *err);

/* Parses a line of a format. Returns false if it is no field NAME with a number. */
bool at_field_parse(struct at_place *place, const char *line, const char *name);

#endif
