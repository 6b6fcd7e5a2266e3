/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "operator_names.h"
#include "lib/util.h"
#include "process/target.h"

#include <stdlib.h>
#include <string.h>

/* PHP's longest name has 30 bytes without its prefix. */
enum { NAME_SIZE = 32, DIFFERENT_MAX = 64 };

struct operator_names {
	size_t nr;
	char names[OPERATOR_NAMES_MAX][NAME_SIZE]; /* or "" */
};

static struct operator_names *known[DIFFERENT_MAX];
static size_t nr_known;

static bool is_operator(const struct operator_array *a, const char *name)
{
	return !a->end || (*name && strcmp(name, a->end));
}

static void read_names(
	struct operator_names *o, const struct memory *m, const struct operator_array *a)
{
	uint64_t pointers[OPERATOR_NAMES_MAX], addresses[OPERATOR_NAMES_MAX];

	for (size_t i = 0; i < a->max; i++)
		addresses[i] = a->address + i * sizeof(*pointers);
	if (!memory_scattered(m, addresses, a->max, sizeof(*pointers), pointers))
		return;
	for (size_t i = 0; i < a->max; i++)
		pointers[i] += a->prefix;
	if (!memory_scattered(m, pointers, a->max, NAME_SIZE, o->names))
		return;
	for (; o->nr < a->max && is_operator(a, o->names[o->nr]); o->nr++)
		o->names[o->nr][NAME_SIZE - 1] = '\0';
}

/* Returns equal names that were kept earlier and frees O, or keeps and returns O. */
static const struct operator_names *keep(struct operator_names *o)
{
	size_t i = 0, size = o->nr * NAME_SIZE;

	while (i < nr_known && (known[i]->nr != o->nr || memcmp(known[i]->names, o->names, size)))
		i++;
	if (i == nr_known && o->nr && nr_known < DIFFERENT_MAX)
		return known[nr_known++] = o;
	free(o);
	return i < nr_known ? known[i] : NULL;
}

const struct operator_names *operator_names_read(
	const struct memory *m, const struct operator_array *array)
{
	struct operator_names *o = xcalloc(1, sizeof(*o));

	if (array->address)
		read_names(o, m, array);
	return keep(o);
}

const char *operator_names_get(const struct operator_names *names, uint32_t number)
{
	return names && number < names->nr && *names->names[number] ? names->names[number] : NULL;
}

uint32_t operator_names_find(const struct operator_names *names, const char *name)
{
	for (uint32_t i = 0; names && i < names->nr; i++)
		if (!strcmp(names->names[i], name))
			return i;
	return OPERATOR_NAMES_MAX;
}
