/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The data format of the call tree in SVG files, decoded by web/tree.js:
 *
 *	<ft:profile xmlns:ft="urn:flametap:profile" version="2" unit="samples"
 *	            total="1302" scale="1" nodes="N" inverted="0">
 *	<ft:modules>     one per line, numbered from 1
 *	<ft:categories>  one per line, by rank (categories.h), numbered from 0; names may repeat
 *	<ft:frames>      one per line, numbered from 0: kind letter, shade digit, module number or
 *	                 nothing, comma, rank; comma and inherited rank if it has one; blank,
 *	                 name; tab and source ("file.c:12") if it has one, shown as "name source"
 *	<ft:tree><ft:t>…</ft:t>…</ft:tree>: parts of one text, to be concatenated
 *
 * For every node except the root, in pre-order, the tree has numbers: its frame; then 2 * UP + S,
 * where UP is how many levels the node's parent is above the previous node (0: the previous node
 * is the parent), and S is 1 if the node has self weight; and, only then, the self weight - 1. The
 * root's self weight is the attribute "self", unless it is 0.
 *
 * A comparison of two profiles (diff.h) has, in addition, the attributes before="TOTAL"
 * after="TOTAL" (both multiples of SCALE, rounded down), normalized="1" if shares are compared, and
 * self_before if it has self; total is their sum. Each self weight is the sum of both, and is
 * followed by the self weight before.
 *
 * The attribute factor="0.001" is the factor for weights that are shown, shown="ms" their unit
 * after that, if it is different.
 *
 * What was recorded, as far as it is known: target="nginx 1302" host="web1" engine="bpf", and in
 * nanoseconds started="…" (since 1970) and duration="…"; cpus="2".
 *
 * Numbers are written in digits of picture_digits[], lowest first: while the number is PICTURE_LAST
 * or more, subtract that, write digit PICTURE_LAST + number % PICTURE_MORE, and divide by
 * PICTURE_MORE; then write the rest as the last digit.
 *
 * Weights are in units of SCALE, a power of two; it is 1 unless the total is above 2^53, the limit
 * of a double. The cumulative weight left of each node is rounded down, not its own weight, so that
 * rounding errors do not add up.
 */
#ifndef INPUT_PICTURE_H
#define INPUT_PICTURE_H

#include "model/profile.h"

enum { PICTURE_LAST = 52, PICTURE_MORE = 36 };
extern const char picture_digits[PICTURE_LAST + PICTURE_MORE + 1];

char picture_kind_letter(enum frame_kind kind);

#endif
