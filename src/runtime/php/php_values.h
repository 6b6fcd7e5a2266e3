/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The layouts of PHP in processes as variables of a stap script, in the format described in
 * tapsets/php/php_values.stp.
 */
#ifndef RUNTIME_PHP_PHP_VALUES_H
#define RUNTIME_PHP_PHP_VALUES_H

#include "php_layout.h"
#include "runtime/vm_values.h"

/* The members of a layout that the tapset needs, in its order. The steps of the path follow. */
#define PHP_NUMBERS(NUMBER)                                                                        \
	NUMBER(top, shape.top)                                                                     \
	NUMBER(prev, shape.prev)                                                                   \
	NUMBER(last, shape.last)                                                                   \
	NUMBER(opcodes, shape.opcodes)                                                             \
	NUMBER(filename, shape.filename)                                                           \
	NUMBER(current, current)                                                                   \
	NUMBER(per_thread, globals.per_thread)                                                     \
	NUMBER(steps, globals.nr)

/* Adds the layout in PID. Returns false if there is no room. */
bool php_values_add(struct vm_values *v, uint32_t pid, const struct php_layout *layout);

#endif
