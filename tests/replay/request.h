/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the request that a stopped thread of nginx processes, with the functions of the BPF
 * programs, and the parts of its stack that they need. */
#ifndef TESTS_REPLAY_REQUEST_H
#define TESTS_REPLAY_REQUEST_H

#include "label/label_layout.h"
#include "process/target.h"

#include <stdio.h>

struct strbuf;

enum { REQUEST_FRAMES = 256, REQUEST_REGISTERS = 8 };

struct request_stack {
	uint64_t reg[REQUEST_REGISTERS]; /* the leaf's rip, rdi, rbx, rbp, r12 to r15 */
	bool whole;                      /* the frames end where the thread began */
	size_t nr;
	struct label_passed frames[REQUEST_FRAMES]; /* the frames that were left, innermost first */
};

/* Reads "WHOLE RIP RDI RBX RBP R12 R13 R14 R15 [SP PC SAVED]…", all hexadecimal. Returns false for
 * any other line. */
bool request_read_stack(const char *line, struct request_stack *stack);
void request_write_stack(const struct request_stack *stack, FILE *out);

/* Finds nginx for the following calls and appends its description. Returns as nginx_find(). */
int request_find(const struct target *t, struct strbuf *out);

/* Appends a line for each label of the request: a tab, its name, a blank, its value; or a line that
 * there is no request. */
void request_labels(
	const struct memory *memory, const struct request_stack *stack, struct strbuf *out);

/* Reads all memory that any search by registers and by saved registers of frames may read. The case
 * then contains it, and can tell a wrong request from one that it does not know. */
void request_look_around(const struct memory *memory, const struct request_stack *stack);

#endif
