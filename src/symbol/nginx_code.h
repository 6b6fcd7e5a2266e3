/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The code of nginx that belongs to each module. Most functions of a module are static, and have no
 * symbol in a stripped file. But the module's structure, its context and its commands point to some
 * of them, and the linker leaves the code of a source file together. Thus all code between two
 * functions of one module belongs to that module. (ngx_module.h, ngx_conf_file.h)
 */
#ifndef SYMBOL_NGINX_CODE_H
#define SYMBOL_NGINX_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reads a file as it is in memory, or the memory of a process. */
struct nginx_reader {
	/* Reads LEN bytes at ADDRESS, both multiples of 8. Returns false if not all are there. */
	bool (*read)(void *context, uint64_t address, void *to, size_t len);
	/* Returns whether the static function of a module may be at ADDRESS. */
	bool (*is_function)(void *context, uint64_t address);
	void *context;
};

/* Words of struct ngx_module_s. The words from NGINX_MODULE_CALLS on are pointers to functions. */
enum {
	NGINX_MODULE_CTX_INDEX,
	NGINX_MODULE_INDEX,
	NGINX_MODULE_NAME,
	NGINX_MODULE_VERSION = 5,
	NGINX_MODULE_SIGNATURE,
	NGINX_MODULE_CTX,
	NGINX_MODULE_COMMANDS,
	NGINX_MODULE_TYPE,
	NGINX_MODULE_CALLS,
	NGINX_MODULE_WORDS = NGINX_MODULE_CALLS + 7,
};

struct nginx_code {
	struct nginx_function {
		uint64_t address;
		uint32_t module; /* the number that it was added with */
	} * list;                /* in ascending order once sorted */
	size_t nr, alloc;
};

void nginx_code_release(struct nginx_code *code);

/* Adds the functions that MODULE's structure, which consists of the WORDs, points to. */
void nginx_code_add(struct nginx_code *code, const struct nginx_reader *reader,
	const uint64_t word[NGINX_MODULE_WORDS], uint32_t module);

/* Adds one function. */
void nginx_code_put(struct nginx_code *code, uint64_t address, uint32_t module);

/*
 * Sorts the functions after the last one was added, and drops the ones that several modules point
 * to.
 */
void nginx_code_sort(struct nginx_code *code);

/*
 * Returns the last known function up to ADDRESS, or NULL if there is none. Sets NEXT to the
 * function behind it, or to NULL.
 */
const struct nginx_function *nginx_code_find(
	const struct nginx_code *code, uint64_t address, const struct nginx_function **next);

#endif
