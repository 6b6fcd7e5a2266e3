/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The code of the functions of one file: their instructions, with source lines and inlined calls. A
 * worker process makes it, and code_read checks every number in it, see packed.h.
 */
#ifndef SYMBOL_CODE_CODE_H
#define SYMBOL_CODE_CODE_H

#include "lib/strbuf.h"
#include "lib/strpool.h"
#include "symbol/lookup_result.h"

enum code_gap { CODE_THERE, CODE_ABSENT, CODE_TOO_LARGE, CODE_GAPS };

struct code_function {
	uint64_t start, end; /* link addresses */
	uint32_t gap;        /* enum code_gap that says why it has no instructions */
	uint32_t first, nr;  /* range in insns, in the order of addresses */
};

struct code_insn {
	uint64_t address;       /* link address */
	uint64_t target_offset; /* bytes from the start of the function TARGET */
	uint32_t size;          /* bytes */
	uint32_t text;          /* number of a string, or 0 if only positions are read */
	/* number of the mangled name of the function that it calls or jumps to, or 0 */
	uint32_t target;
	uint32_t target_is_plt; /* it goes to the function's stub in the PLT */
	uint32_t first, nr;     /* range in frames, innermost inlined function first, or nr 0 */
};

/* A function that an instruction belongs to, and the line, as in struct debuginfo_frame. */
struct code_frame {
	uint32_t function, file;            /* numbers of strings, mangled, or 0 if not known */
	uint32_t line;                      /* or 0 if it is not known */
	uint32_t first_line, discriminator; /* 0 unless positions are read */
};

struct code_header {
	uint32_t nr_strings, nr_functions, nr_insns, nr_frames, nr_places;
	uint32_t is_recorded;       /* the mapped file was there and is the recorded one */
	uint32_t machine;           /* of the file (elf.h) if it is not a supported one, else 0 */
	struct lookup_header about; /* its counts are 0 */
};

struct code {
	struct code_header header;
	struct strpool strings;
	struct code_function *functions; /* in the order of addresses */
	size_t functions_alloc;
	struct code_insn *insns;
	size_t insns_alloc;
	struct code_frame *frames;
	size_t frames_alloc;
	uint32_t *places; /* 1 + number of the instruction at each location of the job, or 0 */
};

void code_init(struct code *code);
void code_release(struct code *code);

void code_write(const struct code *code, struct strbuf *out);
/* Reads the output of code_write into the empty CODE. Returns -1 if it is malformed. */
int code_read(struct code *code, const struct strbuf *in);

#endif
