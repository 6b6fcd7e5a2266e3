/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The layout of the structures of PHP on x86-64, by the number of its module interface, which is
 * the same in all releases of a version 7.0, 7.1 and so on. Also included by the BPF programs.
 *
 * Offsets are in bytes. Offsets that are equal in all versions are constants, all others are
 * members. Sources: zend_compile.h, zend_globals.h, zend_generators.h, zend_types.h, SAPI.h.
 */
#ifndef RUNTIME_PHP_PHP_SHAPE_H
#define RUNTIME_PHP_PHP_SHAPE_H

#include <stdbool.h>
#include <stdint.h>

enum {
	PHP_DATA_OPLINE = 0, /* in struct _zend_execute_data */
	PHP_DATA_FUNC = 24,
	PHP_DATA_THIS = 32, /* a zval: the object, and the type with the flags of the call */
	PHP_DATA_INFO = 40,
	PHP_DATA_WORDS = 8, /* that are read of it */

	PHP_FUNC_TYPE = 0, /* in union _zend_function; a byte */
	PHP_FUNC_NAME = 8,
	PHP_FUNC_SCOPE = 16,
	PHP_FUNC_WORDS = 3,

	PHP_CLASS_NAME = 8, /* in struct _zend_class_entry */

	PHP_STRING_TYPE = 4, /* in struct _zend_string; in the lower 4 bits */
	PHP_STRING_HASH = 8,
	PHP_STRING_LEN = 16,
	PHP_STRING_TEXT = 24,

	PHP_OP_SIZE = 32, /* struct _zend_op */
	PHP_OP_EXTENDED = 20,
	PHP_OP_LINE = 24,
	PHP_OP_CODE = 28,
};

/* Constants that are the same in all versions. */
enum {
	PHP_IS_STRING = 6,
	PHP_IS_OBJECT = 8,

	PHP_INTERNAL_FUNCTION = 1, /* types of functions */
	PHP_USER_FUNCTION = 2,
	PHP_EVAL_CODE = 4,

	PHP_INCLUDE_OR_EVAL = 73, /* opcodes */
	PHP_HANDLE_EXCEPTION = 149,

	PHP_CALLS_INCLUDE = 1 << 1, /* kinds of PHP_INCLUDE_OR_EVAL */
	PHP_CALLS_INCLUDE_ONCE = 1 << 2,
	PHP_CALLS_REQUIRE = 1 << 3,
	PHP_CALLS_REQUIRE_ONCE = 1 << 4,
};

struct php_shape {
	uint32_t top;     /* flag of a call that execute_ex() was called for */
	uint16_t current; /* of current_execute_data in struct _zend_executor_globals */
	uint16_t prev;    /* of the caller, in struct _zend_execute_data */
	uint16_t last;    /* number of opcodes, in struct _zend_op_array */
	uint16_t opcodes;
	uint16_t filename;
	uint16_t unused;
};

/*
 * Gives the version, as 802 for 8.2, and the shape of the module interface API. Returns false if
 * it is not known.
 */
bool php_shape_known(uint32_t api, unsigned *version, struct php_shape *shape);

#endif
