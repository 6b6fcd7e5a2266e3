/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stack_copies.h"
#include "lib/limits/memory.h"
#include "lib/util.h"
#include "process/reader.h"
#include "symbol/elf/elffile.h"

#include <stdlib.h>
#include <string.h>

static int read_copy(struct walk *w, void *to, uint32_t size, uint64_t address);
static int read_code(struct walk *w, void *to, uint32_t size, uint64_t address);
#define WALK_READ(w, to, size, at) read_copy(w, to, size, at)
#define WALK_READ_CODE(w, to, size, at) read_code(w, to, size, at)
#define WALK_STACK_END(w) (((const struct copy_walk *)(w))->copy->head.stack_end)

/* A walk over a copied stack. */
struct copy_walk {
	struct walk walk;
	struct stack_copies *copies;
	const struct stack_copy *copy;
	uint64_t start, end; /* address range of the copy */
};

#include "runtime/native_step.h"

enum {
	WAITING_MAX = 256 << 20, /* bytes */
	PARTS_MAX = 1 << 14,     /* pages without a head */
	CODE_PAGES = 64,
	CODE_MS = 20, /* how long a page is used; not long, as code may be compiled at run time */
};

/* A page of a process's code, as it was read. */
struct code_page {
	uint32_t tgid;
	uint64_t address;
	int64_t read_ns;
	bool is_there;
	unsigned char bytes[COPY_PAGE];
};

static bool is_copied(const struct stack_copy *copy, uint64_t page)
{
	return copy->copied[page / 64] >> page % 64 & 1;
}

static void set_copied(struct stack_copy *copy, uint64_t page)
{
	copy->copied[page / 64] |= 1ULL << page % 64;
}

static int read_copy(struct walk *w, void *to, uint32_t size, uint64_t address)
{
	const struct copy_walk *cw = (const struct copy_walk *)w;

	if (address < cw->start || address > cw->end || cw->end - address < size ||
		!is_copied(cw->copy, (address - cw->start) / COPY_PAGE) ||
		!is_copied(cw->copy, (address - cw->start + size - 1) / COPY_PAGE))
		return -1;
	memcpy(to, cw->copy->pages + (address - cw->start), size);
	return 0;
}

/*
 * Returns the page of code at ADDRESS as it was at most CODE_MS ago, or NULL if it cannot be read.
 */
static const unsigned char *code_page(struct stack_copies *c, uint32_t tgid, uint64_t address)
{
	struct code_page *page = &c->code[(address / COPY_PAGE + tgid) % CODE_PAGES];
	int64_t now = monotonic_ns();
	const void *bytes;

	if (page->tgid == tgid && page->address == address &&
		now - page->read_ns < CODE_MS * 1000000LL)
		return page->is_there ? page->bytes : NULL;
	page->tgid = tgid;
	page->address = address;
	page->read_ns = now;
	page->is_there = reader_pages(tgid, address, 1, &bytes) == 1;
	if (page->is_there)
		memcpy(page->bytes, bytes, COPY_PAGE);
	return page->is_there ? page->bytes : NULL;
}

static int read_code(struct walk *w, void *to, uint32_t size, uint64_t address)
{
	const struct copy_walk *cw = (const struct copy_walk *)w;
	unsigned char *bytes = to;

	for (uint32_t done = 0, n; done < size; done += n, address += n) {
		uint64_t in = address % COPY_PAGE;
		const unsigned char *page =
			code_page(cw->copies, cw->copy->head.tgid, address - in);

		if (!page)
			return -1;
		n = COPY_PAGE - in < size - done ? (uint32_t)(COPY_PAGE - in) : size - done;
		memcpy(bytes + done, page + in, n);
	}
	return 0;
}

void stack_copies_init(struct stack_copies *c, struct processes *ps, struct loader *loader,
	struct samples *samples)
{
	*c = (struct stack_copies){.ps = ps, .loader = loader, .samples = samples};
	c->code = xcalloc(CODE_PAGES, sizeof(*c->code));
	table_init(&c->stacks);
	table_init(&c->older);
}

void stack_copies_release(struct stack_copies *c)
{
	for (size_t i = 0; i < c->nr; i++)
		free(c->waiting[i].pages);
	for (size_t i = 0; i < c->nr_parts; i++)
		free(c->parts[i].bytes);
	free(c->waiting);
	free(c->parts);
	free(c->code);
	table_release(&c->stacks);
	table_release(&c->older);
	*c = (struct stack_copies){0};
}

/* Drops the NR oldest pages, whose heads did not fit into the ring buffer and will never arrive. */
static void drop_parts(struct stack_copies *c, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		free(c->parts[i].bytes);
	c->nr_parts -= nr;
	memmove(c->parts, c->parts + nr, c->nr_parts * sizeof(*c->parts));
}

void stack_copies_add_page(struct stack_copies *c, const struct ring_page *page)
{
	unsigned char *bytes = xmalloc(COPY_PAGE);

	if (c->nr_parts >= memory_share(PARTS_MAX, 16 * COPY_PAGE))
		drop_parts(c, (c->nr_parts + 1) / 2);
	memcpy(bytes, page->bytes, COPY_PAGE);
	ALLOC_GROW(c->parts, c->nr_parts, c->parts_alloc);
	c->parts[c->nr_parts++] = (struct stack_copies_part){page->copy, page->index, bytes};
}

/* Moves the pages of COPY into one buffer. */
static void join_pages(struct stack_copies *c, struct stack_copy *copy)
{
	size_t kept = 0;

	copy->pages = xcalloc(copy->head.nr_pages + 1, COPY_PAGE);
	for (size_t i = 0; i < c->nr_parts; i++) {
		const struct stack_copies_part *part = &c->parts[i];

		if (part->copy != copy->head.copy) {
			c->parts[kept++] = *part;
			continue;
		}
		if (part->index < copy->head.nr_pages) {
			memcpy(copy->pages + (size_t)part->index * COPY_PAGE, part->bytes,
				COPY_PAGE);
			set_copied(copy, part->index);
		}
		free(part->bytes);
	}
	c->nr_parts = kept;
}

/* Reads the stack of a waiting thread from its current memory. */
static void read_stack(struct stack_copy *copy)
{
	uint64_t at = copy->head.reg[REG_SP] & ~(COPY_PAGE - 1ULL);
	const void *bytes;
	size_t nr = reader_pages(copy->head.tgid, at, COPY_PAGES, &bytes);

	copy->head.nr_pages = (uint16_t)nr;
	copy->pages = xcalloc(nr + 1, COPY_PAGE);
	if (nr)
		memcpy(copy->pages, bytes, nr * COPY_PAGE);
	for (size_t i = 0; i < nr; i++)
		set_copied(copy, i);
}

static bool find_map(const struct stack_copies *c, struct copy_walk *cw)
{
	const struct process *p = &c->ps->list[cw->copy->process];
	struct walk_map *to = &cw->walk.map;
	const struct mapping *m =
		process_find_at(c->ps, p, walk_pc(&cw->walk), (int64_t)cw->copy->head.time);
	uint64_t address;

	if (!m || m->shared + 1 >= WALK_SERIALS)
		return false;
	const struct object *o = &c->ps->objects[m->object];

	*to = (struct walk_map){.start = m->start, .end = m->end};
	to->serial = m->shared + 1;
	if (o->elf && elffile_mapped(o->elf, m->offset, m->end - m->start, &address)) {
		to->bias = m->start - address;
		to->table = loader_number(c->loader, m->object);
	} else if (!o->elf && recording_is_memory(o->path)) {
		to->table = WALK_MEMORY;
	}
	return true;
}

static const struct jit_layout *layout_of(struct stack_copies *c, const struct copy_walk *cw)
{
	return c->layouts ? jit_layouts_of(c->layouts, &c->ps->list[cw->copy->process]) : NULL;
}

static int step(struct stack_copies *c, struct copy_walk *cw)
{
	struct walk *w = &cw->walk;
	const struct unwind_rule *rule;
	const struct unwind_table *table;

	if (w->map.table == WALK_MEMORY)
		return walk_compiled(w, layout_of(c, cw));
	switch (loader_request(c->loader, w->map.table, &table)) {
	case TABLE_PENDING:
		return WALK_PENDING;
	case TABLE_READY:
		rule = unwind_table_find(table, walk_pc(w) - w->map.bias);
		if (rule->cfa == UNWIND_CFA_NONE)
			loader_miss(c->loader, w->map.table);
		return walk_by_rule(w, rule);
	default:
		loader_miss(c->loader, w->map.table);
		return walk_without_rule(w);
	}
}

/*
 * Sets the walk's pc, which is a probe's trampoline, to the true return address. Returns false if
 * that is not known.
 */
static bool restore_return(struct copy_walk *cw)
{
	const struct ring_copy *head = &cw->copy->head;

	for (uint64_t i = 0; i < head->nr_returns && i < COPY_RETURNS; i++)
		if (head->returns[i].at == cw->walk.reg[REG_SP] - 8) {
			cw->walk.reg[REG_PC] = head->returns[i].pc;
			return true;
		}
	return false;
}

static void begin(struct copy_walk *cw, struct stack_copies *copies, const struct stack_copy *copy)
{
	*cw = (struct copy_walk){.copies = copies, .copy = copy};
	memcpy(cw->walk.reg, copy->head.reg, sizeof(copy->head.reg));
	cw->walk.known = (1 << NR_REGS) - 1;
	cw->walk.trampoline = copy->head.trampoline;
	cw->start = copy->head.reg[REG_SP] & ~(COPY_PAGE - 1ULL);
	cw->end = cw->start + (uint64_t)copy->head.nr_pages * COPY_PAGE;
}

/* Unwinds COPY. Returns false if it needs a table that is being built and ALL is not set. */
static bool unwind(struct stack_copies *c, const struct stack_copy *copy, bool all)
{
	uint64_t frames[WALK_DEPTH];
	struct copy_walk cw;
	struct walk *w = &cw.walk;

	begin(&cw, c, copy);
	do {
		uint8_t nr_vm = w->vm.nr;

		if (!find_map(c, &cw)) {
			w->end = WALK_NO_MAP;
			break;
		}
		if (w->nr == WALK_DEPTH) {
			w->end = WALK_DEEP;
			break;
		}
		frames[w->nr++] = walk_frame(&w->map, w->reg[REG_PC], w->call);
		w->from = w->call ? w->reg[REG_PC] : 0;
		w->end = (uint8_t)step(c, &cw);
		if (w->vm.nr != nr_vm)
			frames[w->nr - 1] |= WALK_FRAME_VM;
		if (w->end == WALK_ON && w->reg[REG_PC] == w->trampoline && !restore_return(&cw))
			w->end = WALK_PROBED;
	} while (w->end == WALK_ON);
	if (w->end == WALK_PENDING && !all)
		return false;
	if (w->end == WALK_NO_READ && copy->head.nr_pages == COPY_PAGES)
		w->end = WALK_DEEP;
	walk_finish(w);
	if (!w->nr)
		frames[w->nr++] = walk_frame(NULL, w->reg[REG_PC], false);
	stack_copies_set(
		c, copy->head.copy, samples_stack(c->samples, frames, w->nr, STACK_USER, w->end));
	return true;
}

static uint64_t copy_bytes(const struct stack_copy *copy)
{
	return (copy->head.nr_pages + 1ULL) * COPY_PAGE;
}

void stack_copies_add(struct stack_copies *c, const struct ring_copy *head, size_t process)
{
	struct stack_copy copy = {.head = *head, .process = process};

	c->nr_copies++;
	if (head->remote)
		read_stack(&copy);
	else
		join_pages(c, &copy);
	if (unwind(c, &copy, c->bytes > memory_share(WAITING_MAX, 8))) {
		free(copy.pages);
		return;
	}
	ALLOC_GROW(c->waiting, c->nr, c->alloc);
	c->waiting[c->nr++] = copy;
	c->bytes += copy_bytes(&copy);
}

void stack_copies_unwind(struct stack_copies *c, bool all)
{
	size_t kept = 0;

	for (size_t i = 0; i < c->nr; i++) {
		struct stack_copy *copy = &c->waiting[i];

		if (!unwind(c, copy, all)) {
			c->waiting[kept++] = *copy;
			continue;
		}
		c->bytes -= copy_bytes(copy);
		free(copy->pages);
	}
	c->nr = kept;
}

int64_t stack_copies_oldest(const struct stack_copies *c)
{
	int64_t oldest = INT64_MAX;

	for (size_t i = 0; i < c->nr; i++)
		if ((int64_t)c->waiting[i].head.time < oldest)
			oldest = (int64_t)c->waiting[i].head.time;
	return oldest;
}

/* Returns the stack of COPY. Sets *IS_NEW if it has none yet. */
static uint32_t *stack_of(struct stack_copies *c, uint64_t copy, bool *is_new)
{
	uint32_t *at = table_put(&c->stacks, copy, 0, is_new);
	const uint32_t *older = *is_new ? table_get(&c->older, copy, 0) : NULL;

	if (older) {
		*at = *older;
		*is_new = false;
	}
	return at;
}

uint32_t stack_copies_stack(struct stack_copies *c, uint64_t copy)
{
	bool is_new;
	uint32_t *at = stack_of(c, copy, &is_new);

	return is_new ? (*at = samples_pending(c->samples)) : *at;
}

void stack_copies_set(struct stack_copies *c, uint64_t copy, uint32_t stack)
{
	bool is_new;
	uint32_t *at = stack_of(c, copy, &is_new);

	if (is_new)
		*at = stack;
	else
		samples_set_pending(c->samples, *at, stack);
}

static void renumber(struct table *t, struct condense *to)
{
	for (size_t i = 0; i <= t->mask; i++)
		if (t->slots[i].used)
			t->slots[i].value = condense_keep(to, t->slots[i].value);
}

/* Keeps the pending stacks, as they may still arrive. */
static void keep_pending(struct stack_copies *c)
{
	for (size_t i = 0; i <= c->older.mask; i++) {
		const struct table_slot *slot = &c->older.slots[i];
		bool is_new;

		if (slot->used && !samples_actual(c->samples, slot->value))
			stack_of(c, slot->a, &is_new);
	}
}

void stack_copies_sweep(struct stack_copies *c)
{
	keep_pending(c);
	table_release(&c->older);
	c->older = c->stacks;
	table_init(&c->stacks);
}

void stack_copies_renumber(struct stack_copies *c, struct condense *to)
{
	renumber(&c->stacks, to);
	renumber(&c->older, to);
}
