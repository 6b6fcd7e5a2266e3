/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef INSPECT_LUAJIT_OBJECT_TEXT_H
#define INSPECT_LUAJIT_OBJECT_TEXT_H

#include "luajit_object_walk.h"

struct strbuf;

/*
 * Appends a description of OBJECT, read from the copy, such as the beginning of a string, the place
 * of a function or the number of a table's slots. Unprintable bytes are written as \xHH.
 */
void luajit_object_text(
	struct object_walk *w, const struct luajit_object *object, struct strbuf *text);

#endif
