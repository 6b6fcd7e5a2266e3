/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The whole call tree inside the SVG, in the form that web/tree.js decodes:
 *
 *	<ft:profile xmlns:ft="urn:flametap:profile" version="2" unit="samples"
 *	            total="1302" scale="1" nodes="N" inverted="0">
 *	<ft:modules>     one a line, numbered from 1
 *	<ft:categories>  one a line, by rank (categories.h), numbered from 0; a name may come twice
 *	<ft:frames>      one a line, numbered from 0: kind letter, shade digit, module number or
 *	                 nothing, comma, rank; comma and rank again if it passes one on; blank,
 *	                 name; tab and source ("file.c:12") if it has one, shown as "name source"
 *	<ft:tree><ft:t>…</ft:t>…</ft:tree>: parts to be read as one text
 *
 * For every node but the root, in pre-order, the tree has numbers: its frame; then 2 * UP + S,
 * where UP is how many levels the node's parent lies above the node before it (0: the node before
 * is the parent), S is 1 when the node has self weight; and, only then, the self weight - 1. The
 * root's own weight is in its "self" attribute, present when it is not 0.
 *
 * A difference of two profiles (diff.h) has, in addition, the attributes before="TOTAL"
 * after="TOTAL" (both multiples of SCALE, rounded down), normalized="1" where shares are compared,
 * and self_before where it has self; total is their sum. Each self weight is the sum of both, and
 * the number behind it is the self weight before.
 *
 * Where weights are to be shown as multiples of themselves, the attribute factor="0.001" has by
 * what they are multiplied, and shown="ms" their unit then, if it is another one.
 *
 * A number is written in digits of picture_digits[], lowest first: while it is PICTURE_LAST or
 *more, subtract that, write digit PICTURE_LAST + remainder by PICTURE_MORE and divide by
 *PICTURE_MORE; then write it as the last digit.
 *
 * Weights are in units of SCALE, a power of two, 1 unless the total is above 2^53 and a double
 * cannot hold it. Weights left of each node are what is rounded down, so that rounding errors do
 * not add up.
 */
#ifndef INPUT_PICTURE_H
#define INPUT_PICTURE_H

#include "model/profile.h"

enum { PICTURE_LAST = 52, PICTURE_MORE = 36 };
extern const char picture_digits[PICTURE_LAST + PICTURE_MORE + 1];

char picture_kind_letter(enum frame_kind kind);

#endif
