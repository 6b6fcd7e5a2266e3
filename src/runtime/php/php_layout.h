/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The layout of PHP in a process, for user space and the BPF programs. All addresses are run-time
 * addresses in the process.
 */
#ifndef RUNTIME_PHP_PHP_LAYOUT_H
#define RUNTIME_PHP_PHP_LAYOUT_H

#include "php_shape.h"
#include "runtime/pointer_path.h"

struct operator_names;

struct php_layout {
	uint32_t version; /* 802 is 8.2 */
	uint32_t api;     /* number of the module interface */
	bool threads;     /* built with thread safety (ZTS) */
	bool verified;    /* a stack was walked */
	/*
	 * The path to the memory that has the thread's globals. It has no steps in a build without
	 * thread safety, whose globals have fixed addresses.
	 */
	struct pointer_path globals;
	/* current_execute_data as offset in that memory, or as address if the path has no steps. */
	uint64_t current;
	struct php_shape shape;
	/* The names of the opcodes, or NULL if they were not read. User space only. */
	const struct operator_names *operators;
};

#endif
