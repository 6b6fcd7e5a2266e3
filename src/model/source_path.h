/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What interpreters give as the source file of a function. */
#ifndef MODEL_SOURCE_PATH_H
#define MODEL_SOURCE_PATH_H

#include <stdbool.h>

/*
 * Returns whether PATH is what an interpreter calls a text that it has not read from a file, such
 * as an eval: in brackets of some kind, like an option of a command line, or "... code".
 */
bool source_path_is_text(const char *path);

#endif
