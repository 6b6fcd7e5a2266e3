/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the numbers are that the user names at a probe point. */
#ifndef TOOL_AT_AT_VALUES_H
#define TOOL_AT_AT_VALUES_H

#include "at.h"

struct at_sites;
struct probe;
struct strbuf;

/*
 * Finds VALUE at PROBE or, with AT_RETURN, where the function of PROBE returns. FOUND are its
 * places if it is a PROBE_USER. Returns -1 with ERR if it is not there or cannot be read. Sets
 * UNTYPED if its type is not known, so that all 64 bits of its register count.
 */
int at_value_find(struct at_place *place, const struct measure_value *value,
	const struct probe *probe, bool at_return, const struct at_sites *found, bool *untyped,
	struct strbuf *err);

#endif
