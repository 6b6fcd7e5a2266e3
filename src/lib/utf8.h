/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef LIB_UTF8_H
#define LIB_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The character at S of LEN > 0 bytes and how many bytes it takes; 0: there is none (cut, overlong,
 * a surrogate, above U+10FFFF).
 */
size_t utf8_decode(const char *s, size_t len, uint32_t *c);

/* Whether C can be shown as it is: no control character, line separator or mark of writing
 * direction, nor U+FFFE and U+FFFF. */
bool utf8_is_visible(uint32_t c);

#endif
