/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "perfdata_unwind.h"
#include "perfdata_files.h"
#include "perfdata_sample.h"
#include "perfdata_tasks.h"
#include "symbol/elf/elffile.h"

#include <string.h>

static int read_copy(struct walk *w, void *to, uint32_t size, uint64_t address);
static int read_code(struct walk *w, void *to, uint32_t size, uint64_t address);
#define WALK_READ(w, to, size, at) read_copy(w, to, size, at)
#define WALK_READ_CODE(w, to, size, at) read_code(w, to, size, at)

enum { BELOW_MAX = 128 /* bytes below the stack pointer: more than all registers */ };

/* A walk over the stack in a sample. */
struct sample_walk {
	struct walk walk;
	const struct perfdata_sample *sample;
	const struct perfdata_space *space;
	struct perfdata_files *files;
	const struct perfdata_span *span; /* of the pc, or NULL */
	uint64_t start;                   /* address of the copy */
	bool ran_out;                     /* memory above the copy was needed */
	bool has_read;                    /* this step has read something */
};

#include "runtime/native_step.h"

/*
 * Reads what lies below the stack pointer, which is not in the copy. Compilers' rules say that a
 * register is saved there although the function has just restored it: the register has the value.
 * The return address, which a step reads first, is never there.
 */
static int read_below(struct sample_walk *sw, void *to, uint32_t size, uint64_t address)
{
	struct walk *w = &sw->walk;

	if (sw->start - address > BELOW_MAX || !(w->known >> REG_FP & 1))
		return -1;
	if (to == &w->reg[REG_BASE])
		return 0;
	if (w->call || (size == 8 && !sw->has_read))
		return -1;
	memcpy(to, &w->reg[REG_FP], 8);
	return size == 8                                ? 0
	       : size == 16 && address + 8 == sw->start ? read_copy(w, (char *)to + 8, 8, sw->start)
							: -1;
}

static int read_copy(struct walk *w, void *to, uint32_t size, uint64_t address)
{
	struct sample_walk *sw = (struct sample_walk *)w;
	uint64_t at = address - sw->start;

	if (address < sw->start)
		return read_below(sw, to, size, address);
	if (at > sw->sample->stack_size || sw->sample->stack_size - at < size) {
		sw->ran_out = true;
		return -1;
	}
	memcpy(to, sw->sample->stack + at, size);
	sw->has_read = true;
	return 0;
}

static int read_code(struct walk *w, void *to, uint32_t size, uint64_t address)
{
	struct sample_walk *sw = (struct sample_walk *)w;
	const struct perfdata_span *span = perfdata_space_find(sw->space, address);

	if (!span || span->end - address < size || !perfdata_files_open(sw->files, span->file)->elf)
		return -1;
	return perfdata_files_code(
		sw->files, span->file, span->offset + (address - span->start), to, size);
}

static bool find_map(struct sample_walk *sw)
{
	const struct perfdata_span *span = perfdata_space_find(sw->space, walk_pc(&sw->walk));
	struct walk_map *to = &sw->walk.map;
	const struct perfdata_file *f;
	uint64_t address;

	if (span && span == sw->span)
		return true;
	sw->span = span;
	if (!span)
		return false;
	f = perfdata_files_open(sw->files, span->file);
	*to = (struct walk_map){.start = span->start, .end = span->end};
	if (f->elf && elffile_mapped(f->elf, span->offset, span->end - span->start, &address)) {
		to->bias = span->start - address;
		to->table = 1;
	} else if (f->pid) {
		to->table = WALK_MEMORY;
	}
	return true;
}

static int step(struct sample_walk *sw)
{
	struct walk *w = &sw->walk;

	if (w->map.table == WALK_MEMORY)
		return walk_compiled(w, NULL);
	if (!w->map.table)
		return walk_without_rule(w);
	return walk_by_rule(
		w, perfdata_files_rule(sw->files, sw->span->file, walk_pc(w) - w->map.bias));
}

/* Sets the registers that the sample has. perf has them in the order of asm/perf_regs.h. */
static void set_registers(struct walk *w, const uint64_t *regs, uint64_t mask)
{
	static const int8_t numbers[] = {X86_RAX, X86_RBX, X86_RCX, X86_RDX, X86_RSI, X86_RDI,
		X86_RBP, X86_RSP, X86_RA, -1, -1, -1, -1, -1, -1, -1, X86_R8, X86_R8 + 1,
		X86_R8 + 2, X86_R8 + 3, X86_R12, X86_R13, X86_R14, X86_R15};

	for (unsigned i = 0, at = 0; i < sizeof(numbers); i++) {
		if (!(mask >> i & 1))
			continue;
		if (numbers[i] >= 0) {
			w->reg[numbers[i]] = regs[at];
			w->known |= 1U << numbers[i];
		}
		at++;
	}
}

static bool begin(struct sample_walk *sw, uint64_t mask)
{
	const struct perfdata_sample *s = sw->sample;
	uint32_t needed = 1 << REG_SP | 1 << REG_PC;

	if (s->abi != 2 || !s->regs || !s->stack)
		return false;
	set_registers(&sw->walk, s->regs, mask);
	sw->start = sw->walk.reg[REG_SP];
	return (sw->walk.known & needed) == needed;
}

bool perfdata_unwind(struct perfdata_stack *stack, const struct perfdata_sample *s, uint64_t mask,
	const struct perfdata_space *space, struct perfdata_files *files)
{
	struct sample_walk sw = {.sample = s, .space = space, .files = files};
	struct walk *w = &sw.walk;

	if (!begin(&sw, mask))
		return false;
	do {
		if (!find_map(&sw)) {
			w->end = WALK_NO_MAP;
			break;
		}
		if (w->nr == WALK_DEPTH) {
			w->end = WALK_DEEP;
			break;
		}
		stack->addresses[w->nr] = w->reg[REG_PC];
		stack->calls[w->nr++] = w->call;
		stack->last = sw.span->file;
		w->from = w->call ? w->reg[REG_PC] : 0;
		sw.has_read = false;
		w->end = (uint8_t)step(&sw);
	} while (w->end == WALK_ON);
	stack->ran_out = sw.ran_out && w->end != WALK_ROOT && w->end != WALK_LOST;
	if (!stack->ran_out)
		walk_finish(w);
	if (!w->nr) {
		stack->addresses[w->nr] = w->reg[REG_PC];
		stack->calls[w->nr++] = false;
		stack->last = UINT32_MAX;
	}
	stack->nr = w->nr;
	stack->end = w->end;
	return true;
}
