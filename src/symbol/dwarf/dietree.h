/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The entries of a unit in .debug_info, read in one pass, because libdw decodes an entry anew for
 * each of its attributes. Only the attributes that tell where code is, and of which function, are
 * read here. libdw reads everything else.
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
	struct abbreviation *list; /* abbreviations read so far, by their number - 1 */
	size_t nr, alloc, nr_read;
	const unsigned char *abbreviations_start; /* start of the unit's abbreviations */
	struct bytes abbreviations; /* unread abbreviations, and the rest of the section */
	struct die_field *fields;   /* of all abbreviations */
	size_t nr_fields, fields_alloc;
};

enum die_code {
	DIE_NO_CODE,
	DIE_RANGE, /* from FROM to TO */
	DIE_ASK,   /* dwarf_ranges knows where it is */
};

struct die {
	const unsigned char *at;      /* addr of its Dwarf_Die */
	const unsigned char *end;     /* of the entry, before its first child or the next entry */
	const unsigned char *sibling; /* the entry after its children, or NULL if it is not known */
	unsigned int tag;
	bool has_children;
	bool has_name; /* a name of its own, not only its origin's name */
	enum die_code code;
	uint64_t from, to;
	const unsigned char *origin;   /* abstract origin in the same unit, or NULL */
	uint64_t call_file, call_line; /* or 0 if there is none */
};

/*
 * Begins with the unit of ROOT, its topmost entry, whose abbreviations are in SECTION. Returns
 * false if it is malformed. The caller must call dietree_release() in any case. The data of ROOT's
 * file must outlive TREE.
 */
bool dietree_init(struct dietree *tree, const Dwarf_Die *root, const struct bytes *section);
void dietree_release(struct dietree *tree);

/* Returns the bytes of abbreviations that were read. Units may share them. */
int64_t dietree_abbreviations_size(const struct dietree *tree);

/*
 * Reads the entry at AT. Returns false if the list of siblings ends here (AT + 1 follows), or the
 * entry is malformed.
 */
bool dietree_read(struct dietree *tree, const unsigned char *at, struct die *die);

/*
 * Returns the end of the list of siblings from AT on, after its end mark, or NULL if it is
 * malformed.
 */
const unsigned char *dietree_skip(struct dietree *tree, const unsigned char *at);

/* Returns the entry at AT for libdw. */
Dwarf_Die dietree_die(const struct dietree *tree, const unsigned char *at);

#endif
