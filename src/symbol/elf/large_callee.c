/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "large_callee.h"
#include "arch/x86_64/code_shapes.h"
#include "ehframe.h"
#include "elffile_internal.h"
#include "lib/util.h"

enum {
	LEVELS = 3, /* levels of calls */
	CALLEES_MAX = 256,
	LARGE = 4096,       /* least size, in bytes */
	TIMES_LARGER = 2,   /* least ratio to the second largest function */
	CALLER_MAX = 16384, /* bytes of a caller that are searched at most */
};

struct callee {
	uint64_t start, size;
};

struct callees {
	struct callee list[CALLEES_MAX];
	size_t nr;
};

/* Sets F to the function at ADDRESS. Returns false if no function starts there. */
static bool is_start(const struct elffile *elf, uint64_t address, struct callee *f)
{
	uint64_t end = ehframe_next(elf, address);

	*f = (struct callee){address, end - address};
	return address && end > address && ehframe_next(elf, address - 1) == address;
}

static bool has(const struct callees *c, uint64_t start)
{
	for (size_t i = 0; i < c->nr; i++)
		if (c->list[i].start == start)
			return true;
	return false;
}

/*
 * Adds the functions that F calls, or ends with a jump to. Any byte may look like the opcode, but
 * four bytes that are no displacement hardly lead to the start of a function.
 */
static void add_callees(const struct elffile *elf, const struct callee *f, struct callees *c)
{
	uint64_t size = f->size < CALLER_MAX ? f->size : CALLER_MAX;
	const unsigned char *code = elffile_code_bytes(elf, f->start, size);

	for (uint64_t i = 0; code && i < size && c->nr < CALLEES_MAX; i++) {
		struct callee to;
		uint64_t target;

		if (shape_target(code + i, size - i, f->start + i, &target) && !has(c, target) &&
			is_start(elf, target, &to))
			c->list[c->nr++] = to;
	}
}

bool large_callee_find(const struct elffile *elf, const char *name, struct elf_variable *function)
{
	struct callees c = {.nr = 0};
	struct callee f, largest = {0, 0};
	struct elf_variable v;
	uint64_t next = 0;

	if (!elfdata_variable(elf, name, &v) || !is_start(elf, v.address, &f))
		return false;
	add_callees(elf, &f, &c);
	for (size_t i = 0, level = 1; level < LEVELS; level++)
		for (size_t end = c.nr; i < end; i++)
			add_callees(elf, &c.list[i], &c);
	for (size_t i = 0; i < c.nr; i++) {
		if (c.list[i].size > largest.size) {
			next = largest.size;
			largest = c.list[i];
		} else if (c.list[i].size > next) {
			next = c.list[i].size;
		}
	}
	*function = (struct elf_variable){.address = largest.start, .size = largest.size};
	return c.nr < CALLEES_MAX && largest.size >= LARGE && largest.size / TIMES_LARGER > next;
}
