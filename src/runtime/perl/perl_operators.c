/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "perl_operators.h"
#include "lib/util.h"

#include <stdlib.h>
#include <string.h>

/* op_type has 9 bits; the longest name has 15 bytes. */
enum { OPERATORS_MAX = 512, NAME_SIZE = 32, DIFFERENT_MAX = 64 };

struct perl_operators {
	size_t nr;
	char names[OPERATORS_MAX][NAME_SIZE];
};

static struct perl_operators *known[DIFFERENT_MAX];
static size_t nr_known;

/* Reads the names that come before the name of freed operators, to which the array at AT points. */
static void read_names(struct perl_operators *o, const struct memory *m, uint64_t at)
{
	uint64_t pointers[OPERATORS_MAX], addresses[OPERATORS_MAX];

	for (size_t i = 0; i < OPERATORS_MAX; i++)
		addresses[i] = at + i * sizeof(*pointers);
	if (!memory_scattered(m, addresses, OPERATORS_MAX, sizeof(*pointers), pointers) ||
		!memory_scattered(m, pointers, OPERATORS_MAX, NAME_SIZE, o->names))
		return;
	while (o->nr < OPERATORS_MAX && *o->names[o->nr] && strcmp(o->names[o->nr], "freed"))
		o->names[o->nr++][NAME_SIZE - 1] = '\0';
}

/* Returns equal names that were kept earlier and frees O, or keeps and returns O. */
static const struct perl_operators *keep(struct perl_operators *o)
{
	size_t i = 0, size = o->nr * NAME_SIZE;

	while (i < nr_known && (known[i]->nr != o->nr || memcmp(known[i]->names, o->names, size)))
		i++;
	if (i == nr_known && o->nr && nr_known < DIFFERENT_MAX)
		return known[nr_known++] = o;
	free(o);
	return i < nr_known ? known[i] : NULL;
}

const struct perl_operators *perl_operators_learn(const struct target *t)
{
	struct perl_operators *o = xcalloc(1, sizeof(*o));
	uint64_t address = 0;

	for (size_t i = 0; !address && i < t->nr_files; i++)
		address = target_symbol(&t->files[i], "PL_op_name");
	if (address)
		read_names(o, &t->memory, address);
	return keep(o);
}

const char *perl_operator_name(const struct perl_operators *o, uint32_t type)
{
	return o && type < o->nr ? o->names[type] : NULL;
}
