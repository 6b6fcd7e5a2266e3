/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the code of a frame is, as a string: its address in hexadecimal, as the file was linked, or
 * in memory if it is in no file, and the build-id of the file, in lower-case hexadecimal, after a
 * blank. Either may be unknown: 0, "".
 */
#ifndef MODEL_PLACE_H
#define MODEL_PLACE_H

#include "lib/strpool.h"

#include <stddef.h>
#include <stdint.h>

/* The number in POOL of a place; 0: both are unknown. */
uint32_t place_add(struct strpool *pool, uint64_t address, const char *build_id, size_t len);

struct place {
	uint64_t address;
	const char *build_id; /* valid until a string is added */
	size_t len;
};
struct place place_get(const struct strpool *pool, uint32_t place);

#endif
