/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The layout of a source of labels in a process, and the texts of a set of labels, by kind of
 * source. Also included by the BPF programs.
 */
#ifndef LABEL_LABEL_LAYOUT_H
#define LABEL_LABEL_LAYOUT_H

#include "label_list.h"

#include <stdbool.h>
#include <stdint.h>

#define LABEL_LIST_LAYOUTS
#include "label_list.h"
#undef LABEL_LIST_LAYOUTS

/* LABEL_NO_SOURCE stands for none of them. */
#define LABEL_KIND(KIND, name) LABEL_##KIND,
enum label_kind { LABEL_NO_SOURCE, LABEL_LIST(LABEL_KIND) LABEL_KINDS };
#undef LABEL_KIND

enum { LABEL_KEYS_MAX = 32 }; /* of a source */

struct label_layout {
	uint32_t kind; /* enum label_kind */
	uint32_t pad;
	union {
#define LABEL_LAYOUT(KIND, name) struct name##_layout name;
		LABEL_LIST(LABEL_LAYOUT)
#undef LABEL_LAYOUT
	};
};

/*
 * A set of labels, as the programs name it: the kind of its source in the low bits, and above them
 * its number. Up to LABEL_PLACES_MAX that is one of the source's places, for samples without an
 * owner; otherwise it is a hash of the set's texts and of the process. No set is 0.
 */
enum {
	LABEL_KIND_BITS = 4,
	LABEL_EARLIER = 15, /* a wait that began before the recording */
	LABEL_PLACES_MAX = 15,
};

_Static_assert(LABEL_KINDS <= 1 << LABEL_KIND_BITS, "");

static inline uint64_t label_set_id(uint32_t kind, uint64_t number)
{
	return number << LABEL_KIND_BITS | kind;
}

static inline uint32_t label_set_kind(uint64_t set)
{
	return set & ((1 << LABEL_KIND_BITS) - 1);
}

static inline uint64_t label_set_number(uint64_t set)
{
	return set >> LABEL_KIND_BITS;
}

/* A set with its texts, as the BPF programs send it once. */
struct label_new_set {
	uint64_t id; /* label_set_id() */
	uint32_t tgid;
	uint32_t pad;
	union {
#define LABEL_TEXTS(KIND, name) struct name##_texts name;
		LABEL_LIST(LABEL_TEXTS)
#undef LABEL_TEXTS
	} texts;
};

/* A new set of labels in the ring buffer. */
struct ring_label {
	uint32_t type; /* RING_LABEL */
	uint32_t pad;
	struct label_new_set set;
};

/* The data that a set is read from. As long as it is the same, so is the set. */
enum { LABEL_ID_WORDS = 16 };

union label_identity {
#define LABEL_IDENTITY(KIND, name) struct name##_identity name;
	LABEL_LIST(LABEL_IDENTITY)
#undef LABEL_IDENTITY
	uint64_t word[LABEL_ID_WORDS];
};

_Static_assert(sizeof(union label_identity) == LABEL_ID_WORDS * sizeof(uint64_t), "");

enum { LABEL_PASSED = 4 }; /* frames that are walked between two searches */

/*
 * The state of the search for a label in a stack, and what has been found. The programs have one in
 * their scratch.
 */
struct label_search {
	bool on;          /* the process of this sample has the source */
	bool searching;   /* the search goes on with the next frame */
	bool leaf;        /* the registers have been looked at */
	uint32_t place;   /* the place found so far */
	uint64_t found;   /* address of the owner of the sample, or 0 */
	uint64_t word[8]; /* values of registers, which may lead to the owner */
	uint64_t owner;   /* the object that the thread works on if it has no owner, or 0 */
	uint32_t nr_passed;
	uint32_t saved; /* as below, for the frame that is about to be left */
	struct label_passed {
		uint64_t sp, pc; /* of the caller of the frame that was left */
		uint64_t saved;  /* registers that the frame has saved, below its return address */
	} passed[LABEL_PASSED];
	struct label_layout layout; /* of the source in the process */
	union label_identity id;    /* of the owner that was found */
	struct ring_label record;
};

#endif
