/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the code of a frame is, as a string: its address in hexadecimal, a blank, and the build-id
 * of its file in lower-case hexadecimal. The address is as the file was linked, or the address in
 * memory if the code is in no file. If one of them is unknown, it is 0 or "".
 */
#ifndef MODEL_PLACE_H
#define MODEL_PLACE_H

#include "lib/strpool.h"

#include <stddef.h>
#include <stdint.h>

/* Returns the number in POOL of a place, or 0 if both parts are unknown. */
uint32_t place_add(struct strpool *pool, uint64_t address, const char *build_id, size_t len);

struct place {
	uint64_t address;
	const char *build_id; /* valid until a string is added */
	size_t len;
};
struct place place_get(const struct strpool *pool, uint32_t place);

#endif
