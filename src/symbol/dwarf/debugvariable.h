/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of parts of variables: members of structures, elements of arrays. */
#ifndef SYMBOL_DWARF_DEBUGVARIABLE_H
#define SYMBOL_DWARF_DEBUGVARIABLE_H

#include <stddef.h>
#include <stdint.h>

struct debugtypes;

/*
 * Receives the name of the VARIABLE with address number I, mangled in C++, and the PATH in it, such
 * as ".clients[2].lock", or "". Both are valid during the call.
 */
typedef void debugvariables_take(void *arg, size_t i, const char *variable, const char *path);

/*
 * Finds the global and static variables that contain the NR ADDRESSES, which are link addresses in
 * ascending order, and calls TAKE for each address that was found. A path ends before members that
 * belong to the C or C++ library, whose names begin with two underscores or with _M_: a mutex is
 * named, not its parts. Where no member is known, the path ends with the offset, as ".list+0x28".
 */
void debugvariables_find(struct debugtypes *types, const uint64_t *addresses, size_t nr,
	debugvariables_take *take, void *arg);

#endif
