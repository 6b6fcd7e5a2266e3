/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The data format of the call tree in SVG files, decoded by web/data.js:
 *
 *	<ft:profile xmlns:ft="urn:flametap:profile" version="2" unit="samples"
 *	            total="1302" scale="1" nodes="N" inverted="0"
 *	            kinds="u user k kernel …">
 *	<ft:modules>     one per line, numbered from 1
 *	<ft:categories>  one per line, by rank (categories.h), numbered from 0; names may repeat
 *	<ft:frames>      one per line, numbered from 0; kind letter, shade digit, module number or
 *	                 nothing, comma, rank; comma and inherited rank if it has one; blank,
 *	                 name; tab and source ("file.c:12") if it has one, shown as "name source"
 *	<ft:files>       paths of source files, one per line, numbered from 1; may be missing
 *	<ft:lines>       one per line: frame, comma, file, comma, line; or its lowest and highest
 *	                 line, with a comma between; may be missing
 *	<ft:tree><ft:t>…</ft:t>…</ft:tree>: parts of one text, to be concatenated
 *
 * For every node except the root, in pre-order, the tree has numbers: its frame; then 2 * UP + S,
 * where UP is the number of levels from the previous node up to the node's parent (0 if the
 * previous node is the parent), and S is 1 if the node has self weight; then, if S is 1, the self
 * weight - 1. The root's self weight is the attribute "self", unless it is 0.
 *
 * A comparison of two profiles (diff.h) has, in addition, the attributes before="TOTAL"
 * after="TOTAL" (both multiples of SCALE, rounded down), normalized="1" if shares are compared, and
 * self_before if it has self; total is their sum. Each self weight is the sum of both, and is
 * followed by the self weight before.
 *
 * The attribute factor="0.001" is the factor that turns weights into shown weights, and shown="ms"
 * is the unit of shown weights, if it is different.
 *
 * Further attributes say what was recorded, as far as it is known: target="nginx 1302" host="web1"
 * engine="bpf" cpus="2", and started="…" (since 1970) and duration="…" in nanoseconds.
 *
 * If it is known when the samples were taken, the element
 *
 *	<ft:times columns="200" length="50000000" begin="0"><ft:c>…</ft:c>…</ft:times>
 *
 * follows the tree: length is the length of a column of time, begin is the begin of the first one
 * after the recording's, in ns, and the text has numbers for each node with self weight, in the
 * order of the tree: the column of a part of its weight, as the number of columns between it and
 * the last one, then the part - 1, unless only 1 is left; until nothing is left. Columns begin with
 * 1, and column 0 is for weight of which it is not known when. There are at most PICTURE_COLUMNS.
 *
 * The element <ft:outliers> may follow, with a line FIRST,END,FRAME,WEIGHT,USUAL for each time that
 * differs from the rest (view/report/outliers.h): its first column, here from 0, the column behind
 * its last one, the number of the frame that makes the difference or nothing for all together, and
 * this frame's weight in this time and in a usual one.
 *
 * Numbers are written in digits of picture_digits[], lowest first: while the number is PICTURE_LAST
 * or more, subtract PICTURE_LAST, write digit PICTURE_LAST + number % PICTURE_MORE, and divide by
 * PICTURE_MORE; then write the rest as the last digit.
 *
 * Weights are in units of SCALE, a power of two, which is 1 unless the total is above 2^53, the
 * limit of a double. Rounding down the cumulative weight to the left of each node, instead of the
 * node's own weight, keeps rounding errors from adding up.
 */
#ifndef INPUT_PICTURE_H
#define INPUT_PICTURE_H

#include "model/profile.h"

enum { PICTURE_LAST = 52, PICTURE_MORE = 36, PICTURE_COLUMNS = 400 };
extern const char picture_digits[PICTURE_LAST + PICTURE_MORE + 1];

char picture_kind_letter(enum frame_kind kind);

#endif
