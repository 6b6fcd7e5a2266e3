/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Adds maps, frames and stacks to a recording, by their addresses; each map and frame once. */
#ifndef ENGINE_FRAME_TABLE_H
#define ENGINE_FRAME_TABLE_H

#include "lib/table.h"
#include "model/recording.h"
#include "process/process.h"
#include "runtime/vm.h"

struct frame_table {
	const struct processes *ps;
	const struct kallsyms *ks; /* or NULL if kernel frames have no names */
	struct recording *rec;
	struct table maps;   /* mapping -> map */
	struct table frames; /* map or kind, address -> frame */
	struct table named;  /* kind, name -> frame */
	struct splice_code *codes;
	size_t nr_codes, codes_alloc;
	struct table by_object; /* object, interpreter -> index in codes */
};

void frame_table_init(struct frame_table *t, const struct processes *ps, const struct kallsyms *ks,
	struct recording *rec);
void frame_table_release(struct frame_table *t);

/* Returns the frame of FRAME, as encoded by samples_user_frame(), or the note for SAMPLE_RARE. */
uint32_t frame_table_user(struct frame_table *t, uint64_t frame);

/*
 * Returns a frame of KIND without an address: of an interpreter, or a return address in the kernel.
 * Without a function it has no name.
 */
uint32_t frame_table_named(
	struct frame_table *t, enum frame_kind kind, const struct rec_name *name);

/*
 * Adds the interpreter's stack of NR frames, leaf first, or of a note if END says that there is no
 * stack.
 */
uint32_t frame_table_vm_stack(struct frame_table *t, const struct vm *vm, enum vm_end end,
	const uint32_t *frames, size_t nr);

/* Returns the role for VM of the function of FRAME, as encoded by samples_user_frame(). */
unsigned frame_table_role(struct frame_table *t, const struct vm *vm, uint64_t frame);

/*
 * Splices the native and the VM frames of S, whose ids are frame numbers, and adds the user stack.
 * END and CUT_BY describe the native stack. The result is broken if the VM stack is inconsistent,
 * and cut if only the VM stack is cut.
 */
uint32_t frame_table_mixed_stack(struct frame_table *t, const struct vm *vm, struct splice *s,
	enum stack_end end, uint32_t cut_by);

/*
 * A kernel stack without the frames at its leaf that belong to the probe itself. RARE tells that
 * the note for SAMPLE_RARE comes before its addresses.
 */
struct kernel_part {
	const uint64_t *addresses;
	size_t nr;
	bool rare;
};

/* Returns the part of the kernel stack of NR addresses, leaf first, that is recorded. */
struct kernel_part frame_table_kernel_part(
	const struct frame_table *t, const uint64_t *addresses, size_t nr);
uint32_t frame_table_kernel_stack(struct frame_table *t, const struct kernel_part *part);

/*
 * Returns how many of its addresses an interrupt has put on the stack, up to its entry, or 0 if the
 * task is not interrupted. Exceptions, such as page faults, are the task's own.
 */
size_t frame_table_interrupt(const struct frame_table *t, const struct kernel_part *part);

/* Adds the user stack of a task without one, which is the note "[no user stack: WHY]". */
uint32_t frame_table_no_stack(struct frame_table *t, const char *why);

#endif
