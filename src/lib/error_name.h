/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The names of errors, such as ENOENT. */
#ifndef LIB_ERROR_NAME_H
#define LIB_ERROR_NAME_H

#include <stdint.h>

enum { ERROR_NAME_LEN = 16 };

/*
 * Returns the name of an errno, also of those that system calls return only to the kernel, which
 * then calls them again. Writes the number to OTHER and returns it if there is no name.
 */
const char *error_name(uint32_t error, char other[ERROR_NAME_LEN]);

#endif
