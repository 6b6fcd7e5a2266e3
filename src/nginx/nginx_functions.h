/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the functions of the files with nginx's modules from a process, and the addresses that
 * their code refers to. It needs no symbols, since .eh_frame_hdr lists the starts of functions.
 */
#ifndef NGINX_NGINX_FUNCTIONS_H
#define NGINX_NGINX_FUNCTIONS_H

#include "process/target.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct nginx_functions {
	const struct target *target;
	struct function_file {
		const struct target_file *file;
		struct function_range {
			uint64_t start, end;
		} code, data, constant; /* segments; constant is the read-only part of data */
		uint64_t *starts;       /* of functions, ascending */
		size_t nr;
	} * files; /* parallel to the target's; without an .eh_frame_hdr they have no functions */
};

void nginx_functions_init(struct nginx_functions *f, const struct target *t);
void nginx_functions_release(struct nginx_functions *f);

/* Returns whether a function begins at ADDRESS. */
bool nginx_functions_is(const struct nginx_functions *f, uint64_t address);

/* Returns the file that has the code at ADDRESS, or NULL if none has. */
const struct function_file *nginx_functions_file(const struct nginx_functions *f, uint64_t address);

/* Returns whether a pointer may be at ADDRESS in the variables of FILE, or of any file if NULL. */
bool nginx_functions_is_variable(
	const struct nginx_functions *f, const struct function_file *file, uint64_t address);

/*
 * A possible operand of a function: it loads the word at the address, takes the address, or goes
 * there. The bytes are not disassembled, so some are not operands at all: the caller has to tell
 * from what is at the address.
 */
struct code_reference {
	enum { CODE_LOADS, CODE_TAKES, CODE_GOES } kind;
	uint64_t address;
};

/* Lists the possible operands of the function at FUNCTION. The caller frees the list. */
struct code_reference *nginx_functions_references(
	const struct nginx_functions *f, uint64_t function, size_t *nr);

/* Returns the target of the PLT entry at ADDRESS, or ADDRESS if it is not a PLT entry. */
uint64_t nginx_functions_behind_plt(const struct nginx_functions *f, uint64_t address);

#endif
