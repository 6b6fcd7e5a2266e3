/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Adds maps, frames and stacks to a recording from addresses; each map and frame once. */
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
	struct table vm;     /* function, file, kind of VM and line -> frame */
	struct splice_code *codes;
	size_t nr_codes, codes_alloc;
	struct table by_object; /* object, interpreter -> index in codes */
	/* Note frames + 1; 0: not added yet. */
	uint32_t inconsistent[VM_KINDS], rare, trace;
};

void frame_table_init(struct frame_table *t, const struct processes *ps, const struct kallsyms *ks,
	struct recording *rec);
void frame_table_release(struct frame_table *t);

/* The frame at ADDRESS in M (NULL: no mapping). CALL: it is a return address. */
uint32_t frame_table_user(
	struct frame_table *t, const struct mapping *m, uint64_t address, bool call);

/* The note in place of the innermost frames of a rare stack. */
uint32_t frame_table_rare(struct frame_table *t);

/* A trace of LuaJIT's: code without name. */
uint32_t frame_table_trace(struct frame_table *t);

/* The number of frames at the leaf of a kernel stack that belong to the probe itself. */
size_t frame_table_own(const struct frame_table *t, const uint64_t *addresses, size_t nr);

/* A kernel frame of known name but unknown address, OFFSET bytes into the function. */
uint32_t frame_table_named(
	struct frame_table *t, const char *name, const char *module, uint64_t offset);

/*
 * A frame of an interpreter, of KIND; FUNCTION and FILE are strings of the recording, 0: unknown.
 * Without a function the frame has no name.
 */
uint32_t frame_table_vm(struct frame_table *t, const struct vm *vm, enum frame_kind kind,
	uint32_t function, uint32_t file, uint32_t line);

/* Adds the interpreter's stack of NR frames, leaf first; if END says that there is none, of a note.
 */
uint32_t frame_table_vm_stack(struct frame_table *t, const struct vm *vm, enum vm_end end,
	const uint32_t *frames, size_t nr);

/* The role for VM of the function that contains ADDRESS in M. */
unsigned frame_table_role(
	struct frame_table *t, const struct vm *vm, const struct mapping *m, uint64_t address);

/*
 * Splices the native and the VM frames of S, whose ids are frame numbers, and adds the user stack.
 * END and CUT_BY are those of the native stack; the result is broken if the VM stack is
 * inconsistent, and cut if only that is cut.
 */
uint32_t frame_table_mixed_stack(struct frame_table *t, const struct vm *vm, struct splice *s,
	enum stack_end end, uint32_t cut_by);

/* Adds the kernel stack of NR addresses, leaf first; the first one may be SAMPLE_RARE. */
uint32_t frame_table_kernel_stack(struct frame_table *t, const uint64_t *addresses, size_t nr);

/* Adds the user stack of a task that has none: the note "[no user stack: WHY]". */
uint32_t frame_table_no_stack(struct frame_table *t, const char *why);

/*
 * What cut a stack whose last address is in M, as a string of the recording: CAUSE, unless the file
 * was never read.
 */
uint32_t frame_table_cut_by(struct frame_table *t, const struct mapping *m, enum cut_cause cause);

#endif
