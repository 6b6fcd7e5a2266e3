/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The entries of a unit in .debug_info, read in one pass, as libdw decodes an entry anew for each
 * of its attributes. Only where code is and which function it is of; libdw reads everything else.
 */
#ifndef SYMBOL_DWARF_DIETREE_H
#define SYMBOL_DWARF_DIETREE_H

#include "lib/bytes.h"

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct abbreviation;

struct dietree {
	Dwarf_Die root;
	const unsigned char *start, *end; /* of the unit, with its header */
	unsigned int version, address_size, offset_size;
	struct abbreviation *list; /* those read so far, by their number - 1 */
	size_t nr, alloc, nr_read;
	const unsigned char *abbreviations_start; /* of the unit */
	struct bytes abbreviations;               /* those not read yet, and what follows */
	struct die_field *fields;                 /* of all abbreviations */
	size_t nr_fields, fields_alloc;
};

enum die_code {
	DIE_NO_CODE,
	DIE_RANGE, /* from FROM to TO */
	DIE_ASK,   /* dwarf_ranges tells */
};

struct die {
	const unsigned char *at;      /* Dwarf_Die's addr */
	const unsigned char *end;     /* of the entry: its first child or the next entry */
	const unsigned char *sibling; /* the entry after its children, NULL: not known */
	unsigned int tag;
	bool has_children;
	bool has_name; /* its own, not only that of its origin */
	enum die_code code;
	uint64_t from, to;
	const unsigned char *origin;   /* abstract origin in the same unit, NULL: none */
	uint64_t call_file, call_line; /* 0: none */
};

/*
 * Begins with the unit of ROOT, its topmost entry, which has SECTION's abbreviations. False:
 * malformed; dietree_release() is due in any case. The data of ROOT's file must outlive TREE.
 */
bool dietree_init(struct dietree *tree, const Dwarf_Die *root, const struct bytes *section);
void dietree_release(struct dietree *tree);

/* Bytes of abbreviations that were read. Units may share them. */
int64_t dietree_abbreviations_size(const struct dietree *tree);

/* Reads the entry at AT. False: the list of siblings ends here (AT + 1 follows), or malformed. */
bool dietree_read(struct dietree *tree, const unsigned char *at, struct die *die);

/* The end of the list of siblings from AT on, after its end mark; NULL: malformed. */
const unsigned char *dietree_skip(struct dietree *tree, const unsigned char *at);

/* DIE for libdw. */
Dwarf_Die dietree_die(const struct dietree *tree, const unsigned char *at);

#endif
