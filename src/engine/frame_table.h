/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The maps, frames and stacks of a recording, made of addresses: each map and frame once. */
#ifndef ENGINE_FRAME_TABLE_H
#define ENGINE_FRAME_TABLE_H

#include "lib/table.h"
#include "model/recording.h"
#include "process/process.h"
#include "vm/vm.h"

struct frame_table {
	const struct processes *ps;
	const struct kallsyms *ks; /* NULL: kernel frames have no names */
	struct recording *rec;
	struct table maps;   /* mapping -> map */
	struct table frames; /* map or kind, address -> frame */
	struct table vm;     /* function, file and line -> frame of that kind */
	struct splice_code *codes;
	size_t nr_codes, codes_alloc;
	struct table by_object;          /* object, interpreter -> place in codes */
	uint32_t inconsistent[VM_KINDS]; /* the frame that says so, + 1 */
};

void frame_table_init(struct frame_table *t, const struct processes *ps, const struct kallsyms *ks,
	struct recording *rec);
void frame_table_release(struct frame_table *t);

/* The recording's frame for ADDRESS in M, NULL: in no mapping. CALL: it is a return address. */
uint32_t frame_table_user(
	struct frame_table *t, const struct mapping *m, uint64_t address, bool call);

/* How many frames at the leaf of a kernel stack are those of the program that took it. */
size_t frame_table_own(const struct frame_table *t, const uint64_t *addresses, size_t nr);

/* A kernel frame of which only its name is known, OFFSET bytes into the function. */
uint32_t frame_table_named(
	struct frame_table *t, const char *name, const char *module, uint64_t offset);

/*
 * A frame of an interpreter at a line of a file; numbers of strings of the recording, 0: not known.
 * Without a function it is one without a name.
 */
uint32_t frame_table_vm(struct frame_table *t, const struct vm *vm, uint32_t function,
	uint32_t file, uint32_t line);

/*
 * Adds the interpreter's stack of NR frames, leaf first; where END says that there is none, one of
 * a note that says so.
 */
uint32_t frame_table_vm_stack(struct frame_table *t, const struct vm *vm, enum vm_end end,
	const uint32_t *frames, size_t nr);

/* The role for VM of the function at ADDRESS, of a leaf or a call, in M. */
unsigned frame_table_role(
	struct frame_table *t, const struct vm *vm, const struct mapping *m, uint64_t address);

/*
 * Adds the user stack that the native frames and VM's frames of S make, by their numbers as frames.
 * END and CUT_BY are of the former; but the stack is broken when VM's are inconsistent, and cut
 * where VM's alone are.
 */
uint32_t frame_table_mixed_stack(struct frame_table *t, const struct vm *vm, struct splice *s,
	enum stack_end end, uint32_t cut_by);

/* Adds the kernel stack of NR addresses, leaf first. */
uint32_t frame_table_kernel_stack(struct frame_table *t, const uint64_t *addresses, size_t nr);

/* What cut a stack whose last address is in M; the recording's string. */
uint32_t frame_table_cut_by(struct frame_table *t, const struct mapping *m);

#endif
