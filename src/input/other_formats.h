/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Formats of other programs that cannot be read, and what to do with them. */
#ifndef INPUT_OTHER_FORMATS_H
#define INPUT_OTHER_FORMATS_H

#include <stddef.h>

/* Why an input that begins with these N bytes cannot be read; NULL: it may be readable. */
const char *other_format_why(const char *bytes, size_t n);

#endif
