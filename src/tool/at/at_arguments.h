/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The types and registers of functions' arguments and results. */
#ifndef TOOL_AT_AT_ARGUMENTS_H
#define TOOL_AT_AT_ARGUMENTS_H

#include "symbol/dwarf/debugtype.h"

struct at_sites;

/*
 * Finds an argument of a function of the kernel, from its BTF, or of the functions FOUND, from the
 * debug information of their files. NAME and NUMBER are as for debugtypes_argument(). Functions
 * that differ count as not known.
 */
enum debug_argument_result at_argument_in_kernel(
	struct debug_argument *argument, const char *function, const char *name, uint32_t number);
enum debug_argument_result at_argument_in_files(struct debug_argument *argument,
	const struct at_sites *found, const char *name, uint32_t number);

#endif
