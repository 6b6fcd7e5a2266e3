/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions of the files with nginx's modules, read from a process, and what their code refers
 * to. Needs no symbols: .eh_frame_hdr lists where functions begin.
 */
#ifndef LABEL_NGINX_NGINX_FUNCTIONS_H
#define LABEL_NGINX_NGINX_FUNCTIONS_H

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
		} code, data, constant; /* segments; the last one: what of data is not written */
		uint64_t *starts;       /* of functions, ascending */
		size_t nr;
	} * files; /* as those of the target; without its table they have no functions */
};

void nginx_functions_init(struct nginx_functions *f, const struct target *t);
void nginx_functions_release(struct nginx_functions *f);

/* True if a function begins at ADDRESS. */
bool nginx_functions_is(const struct nginx_functions *f, uint64_t address);

/* The file that has the code at ADDRESS; NULL: none. */
const struct function_file *nginx_functions_file(const struct nginx_functions *f, uint64_t address);

/* True if ADDRESS may be that of a pointer among the variables of FILE, or of any for NULL. */
bool nginx_functions_is_variable(
	const struct nginx_functions *f, const struct function_file *file, uint64_t address);

/*
 * What may be an operand of the function at FUNCTION. The bytes are not disassembled, so some are
 * none: the caller must see from what is there whether it is one.
 */
struct code_reference {
	enum { CODE_LOADS, CODE_TAKES, CODE_GOES } kind; /* the word there; its address; there */
	uint64_t address;
};

/* The caller frees the list. */
struct code_reference *nginx_functions_references(
	const struct nginx_functions *f, uint64_t function, size_t *nr);

/* Where the code at ADDRESS jumps to if it is an entry of the PLT; else ADDRESS. */
uint64_t nginx_functions_behind_plt(const struct nginx_functions *f, uint64_t address);

#endif
