/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "at_fields.h"
#include "at_events.h"
#include "lib/strbuf.h"
#include "lib/util.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OWN_FIELDS = 8 }; /* the programs get a pointer in place of the first bytes */

/*
 * The types of arguments of system calls that are smaller than the register that the record has:
 * its upper half is not a part of the number.
 */
static const struct narrow_type {
	const char *name;
	uint8_t size;
	bool is_signed;
} narrow_types[] = {
	{"int", 4, true},
	{"unsigned int", 4, false},
	{"unsigned", 4, false},
	{"pid_t", 4, true},
	{"uid_t", 4, false},
	{"gid_t", 4, false},
	{"qid_t", 4, false},
	{"key_serial_t", 4, true},
	{"clockid_t", 4, true},
	{"mqd_t", 4, true},
	{"u32", 4, false},
	{"__u32", 4, false},
	{"__s32", 4, true},
	{"umode_t", 2, false},
};

static void narrow(struct at_place *place, const char *type, size_t len)
{
	for (size_t i = 0; i < ARRAY_LEN(narrow_types); i++)
		if (strlen(narrow_types[i].name) == len &&
			!memcmp(narrow_types[i].name, type, len)) {
			place->size = narrow_types[i].size;
			place->is_signed = narrow_types[i].is_signed;
		}
}

/* Sets NUMBER to the number behind KEY in LINE. */
static bool number_of(const char *line, const char *key, unsigned *number)
{
	const char *at = strstr(line, key);

	return at && sscanf(at + strlen(key), "%u", number) == 1;
}

bool at_field_parse(struct at_place *place, const char *line, const char *name)
{
	const char *type = strstr(line, "field:"), *end = type ? strchr(type, ';') : NULL;
	size_t len = strlen(name);
	unsigned offset, size, is_signed;

	if (!end || (size_t)(end - type) < len + sizeof("field:") || end[-1] == ']' ||
		memcmp(end - len, name, len) || end[-(ptrdiff_t)len - 1] != ' ' ||
		!number_of(end, "offset:", &offset) || !number_of(end, "size:", &size) ||
		!number_of(end, "signed:", &is_signed) || size > 8 || size & (size - 1) || !size ||
		offset < OWN_FIELDS || offset > UINT16_MAX)
		return false;
	type += strlen("field:");
	if (!strncmp(type, "__data_loc", strlen("__data_loc")))
		return false;
	*place = (struct at_place){
		.offset = (uint16_t)offset, .size = (uint8_t)size, .is_signed = is_signed};
	if (size == 8)
		narrow(place, type, (size_t)(end - (ptrdiff_t)len - 1 - type));
	return true;
}

/* Adds the names of the fields that are numbers. */
static void list_field(const char *line, struct strbuf *names)
{
	const char *type = strstr(line, "field:"), *end = type ? strchr(type, ';') : NULL;
	const char *name = end;
	struct at_place place;

	while (name && name > type && name[-1] != ' ')
		name--;
	if (!name)
		return;
	char *text = xstrndup(name, (size_t)(end - name));

	if (*text && at_field_parse(&place, line, text))
		strbuf_addf(names, "%s$%s", names->len ? ", " : "", text);
	free(text);
}

int at_field_find(struct at_place *place, const char *group, const char *event, const char *name,
	struct strbuf *err)
{
	struct strbuf names = STRBUF_INIT;
	FILE *format = at_event_format(group, event);
	bool found = false;
	char *line = NULL;
	size_t room = 0;

	while (format && !found && getline(&line, &room, format) > 0) {
		found = at_field_parse(place, line, name);
		list_field(line, &names);
	}
	if (format)
		fclose(format);
	free(line);
	if (!found)
		fail(err, "%s:%s has no number $%s; its numbers are %s", group, event, name,
			names.len ? names.buf : "none");
	strbuf_release(&names);
	return found ? 0 : -1;
}
