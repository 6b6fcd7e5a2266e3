/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Frames of PHP's stacks, the state of a walk, and the texts of frames. */
#ifndef RUNTIME_PHP_PHP_FRAME_H
#define RUNTIME_PHP_PHP_FRAME_H

#include "php_shape.h"
#include "runtime/vm_frame.h"

/*
 * The types of frames, and the members of struct vm_frame for PHP:
 *
 * what	the type, and the address of the function's name, or 0 for the code of a file or an eval
 * with	the function (union _zend_function)
 * at	the opline in the lower PHP_OPLINE bits, and above them a hash of its line, class or file;
 *for a function in C its class
 */
enum php_type {
	PHP_FUNCTION = 1, /* a function, a method or a closure */
	PHP_IN_C,         /* a function or method in C */
	PHP_MAIN,         /* the code of the script that the request began with */
	PHP_FILE,         /* the code of a file that was included */
	PHP_EVAL,         /* the code of an eval */
};

/* The frame begins a run of the interpreter, execute_ex(). */
#define PHP_TOP (1ULL << 63)

/*
 * Without opcache, memory of code is reused by the next request. Then another line, class or file
 * distinguishes its statements.
 */
#define PHP_OPLINE 47

static inline enum php_type php_frame_type(uint64_t what)
{
	return (enum php_type)VM_FRAME_TYPE(what);
}

struct php_walk {
	struct vm_walk vm;
	uint64_t data[PHP_DATA_WORDS]; /* the beginning of the call that was read last */
	uint64_t func[PHP_FUNC_WORDS]; /* of its function */
	uint64_t at;                   /* next call, or 0 if there is none */
	/*
	 * While a generator runs that others delegate to (yield from), a fake call stands for the
	 * others: outer is the outermost of them, inner the one whose frame is next, and seen the
	 * one that the search for inner has reached.
	 */
	uint64_t outer, inner, seen, delegate;
	uint64_t after;     /* call after the fake call */
	uint32_t parent_at; /* offset of a generator's delegate */
	bool is_leaf;       /* no call was read yet */
};

enum { PHP_NAME_MAX = 192, PHP_FILE_MAX = 256 };

/* The name and the location of a frame. */
struct php_texts {
	uint32_t line;  /* 0 if it is not known */
	uint8_t called; /* how a file was included: PHP_CALLS_… */
	bool named;     /* name and class could be read, as far as there are any */
	bool placed;    /* file and line could be read */
	bool unused;
	uint16_t class_len, name_len, file_len; /* bytes of the whole texts, 0 if there is none */
	char class[PHP_NAME_MAX], name[PHP_NAME_MAX], file[PHP_FILE_MAX];
};

#endif
