/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Recognises formats of other programs that cannot be read, and says how to convert them. */
#ifndef INPUT_OTHER_FORMATS_H
#define INPUT_OTHER_FORMATS_H

#include <stddef.h>

/*
 * Returns why an input that begins with these N bytes cannot be read, or NULL if it may be
 * readable.
 */
const char *other_format_why(const char *bytes, size_t n);

#endif
