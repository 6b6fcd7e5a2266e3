/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The IDs that git gives to the contents of files, as `git hash-object` prints them: the SHA-1
 * (FIPS 180-4) of "blob", a blank, the length in decimal, a NUL, and the contents. They tell
 * whether two files are the same, and find a version of a file in its repository.
 */
#ifndef LIB_BLOB_ID_H
#define LIB_BLOB_ID_H

#include <stddef.h>

enum { BLOB_ID = 40 }; /* hexadecimal digits */

/* Writes the ID of the LEN bytes at TEXT, in lower case and with a NUL. */
void blob_id(const char *text, size_t len, char id[BLOB_ID + 1]);

#endif
