/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The code of functions of one file: their instructions, with source lines and inlined calls. A
 * worker process makes it; code_read checks every number in it, see packed.h.
 */
#ifndef SYMBOL_CODE_CODE_H
#define SYMBOL_CODE_CODE_H

#include "lib/strbuf.h"
#include "lib/strpool.h"
#include "symbol/lookup_result.h"

enum code_gap { CODE_THERE, CODE_ABSENT, CODE_TOO_LARGE, CODE_GAPS };

struct code_function {
	uint64_t start, end; /* link addresses */
	uint32_t gap;        /* enum code_gap: why it has no instructions */
	uint32_t first, nr;  /* in insns, in the order of addresses */
};

struct code_insn {
	uint64_t address;       /* link address */
	uint64_t target_offset; /* bytes from the start of the function TARGET */
	uint32_t size;          /* bytes */
	uint32_t text;          /* string */
	uint32_t target; /* string: the function, mangled, that it calls or jumps to; 0: none */
	uint32_t target_is_plt; /* to its stub in the PLT */
	uint32_t first, nr;     /* in frames: innermost inlined function first; nr 0: not known */
};

/* A function whose code an instruction is, and the line; as struct debuginfo_frame. */
struct code_frame {
	uint32_t function, file; /* strings, mangled; 0: not known */
	uint32_t line;           /* 0: not known */
};

struct code_header {
	uint32_t nr_strings, nr_functions, nr_insns, nr_frames, nr_places;
	uint32_t is_recorded;       /* the mapped file was there, and is the recorded one */
	uint32_t machine;           /* of the file (elf.h), if that is not one we know; else 0 */
	struct lookup_header about; /* its numbers are 0 */
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
	uint32_t *places; /* of each location of the job: number of its instruction + 1, 0: none */
};

void code_init(struct code *code);
void code_release(struct code *code);

void code_write(const struct code *code, struct strbuf *out);
/* Reads what code_write wrote into CODE, just initialised. -1: it is malformed. */
int code_read(struct code *code, const struct strbuf *in);

#endif
