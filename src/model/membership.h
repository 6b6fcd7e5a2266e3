/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The labels that samples get from their process, such as its cgroup. A row is the key of a label,
 * which --by, its help and the shells' completion list; src/label/memberships.h says how its value
 * is read.
 */
#ifndef MODEL_MEMBERSHIP_H
#define MODEL_MEMBERSHIP_H

#define MEMBERSHIP_LIST(ROW)                                                                       \
	ROW(cgroup) ROW(unit) ROW(container) ROW(title) ROW(pool) ROW(database) ROW(role)

/* Bits of sets of them. */
#define MEMBERSHIP_BIT(name) (1u << MEMBERSHIP_##name)
#define MEMBERSHIP_ALL ((1u << NR_MEMBERSHIPS) - 1)

/* Labels from command lines, which are recorded only if they are asked for. */
#define MEMBERSHIP_OF_TITLES                                                                       \
	(MEMBERSHIP_BIT(title) | MEMBERSHIP_BIT(pool) | MEMBERSHIP_BIT(database) |                 \
		MEMBERSHIP_BIT(role))

#define MEMBERSHIP_ENUM(name) MEMBERSHIP_##name,
enum { MEMBERSHIP_LIST(MEMBERSHIP_ENUM) NR_MEMBERSHIPS };
#undef MEMBERSHIP_ENUM

#define MEMBERSHIP_TEXT(name) #name,

/* The keys, each followed by ", ". */
#define MEMBERSHIP_WORD(name) #name ", "
#define MEMBERSHIP_WORDS MEMBERSHIP_LIST(MEMBERSHIP_WORD)

#endif
