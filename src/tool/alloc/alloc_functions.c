/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "alloc_functions.h"
#include "arch/x86_64/entry_place.h"
#include "arch/x86_64/insn.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "lib/worker.h"
#include "symbol/elf/elf_functions.h"
#include "symbol/elf/elffile.h"
#include "symbol/elf/plt.h"
#include "symbol/elf/sdt.h"
#include "tool/at/at_marks.h"

#include <stdlib.h>
#include <string.h>

enum { READ_S = 20, WANTED_MAX = 256 };

/*
 * The functions of C libraries and of the libraries that replace them. If a function with this
 * program calls another of them, it has the program CALLER, or none with ALLOC_PROGRAMS.
 */
static const struct known_function {
	const char *name;
	enum alloc_program program, caller;
	bool is_in_preload; /* src/preload has it, too */
} known[] = {
	{"malloc", ALLOC_MALLOC, ALLOC_VALLOC, true},
	{"calloc", ALLOC_CALLOC, ALLOC_OUTER_CALLOC, true},
	{"realloc", ALLOC_REALLOC, ALLOC_REALLOC, true},
	{"reallocarray", ALLOC_REALLOCARRAY, ALLOC_REALLOCARRAY, true},
	{"reallocf", ALLOC_REALLOC, ALLOC_REALLOC, false},
	{"memalign", ALLOC_MEMALIGN, ALLOC_MEMALIGN, true},
	{"aligned_alloc", ALLOC_MEMALIGN, ALLOC_MEMALIGN, true},
	{"posix_memalign", ALLOC_POSIX_MEMALIGN, ALLOC_POSIX_MEMALIGN, true},
	{"valloc", ALLOC_VALLOC, ALLOC_VALLOC, true},
	{"pvalloc", ALLOC_VALLOC, ALLOC_VALLOC, true},
	{"free", ALLOC_FREE, ALLOC_FREE, true},
	{"cfree", ALLOC_FREE, ALLOC_FREE, false},
	/* jemalloc */
	{"mallocx", ALLOC_MALLOC, ALLOC_VALLOC, false},
	{"rallocx", ALLOC_REALLOC, ALLOC_REALLOC, false},
	{"dallocx", ALLOC_FREE, ALLOC_FREE, false},
	{"sdallocx", ALLOC_FREE, ALLOC_FREE, false},
	/* C23 */
	{"free_sized", ALLOC_FREE, ALLOC_FREE, false},
	{"free_aligned_sized", ALLOC_FREE, ALLOC_FREE, false},
	/* operator new and delete */
	{"_Znwm", ALLOC_MALLOC, ALLOC_PROGRAMS, false},
	{"_Znam", ALLOC_MALLOC, ALLOC_PROGRAMS, false},
	{"_ZnwmRKSt9nothrow_t", ALLOC_MALLOC, ALLOC_PROGRAMS, false},
	{"_ZnamRKSt9nothrow_t", ALLOC_MALLOC, ALLOC_PROGRAMS, false},
	{"_ZnwmSt11align_val_t", ALLOC_MALLOC, ALLOC_PROGRAMS, false},
	{"_ZnamSt11align_val_t", ALLOC_MALLOC, ALLOC_PROGRAMS, false},
	{"_ZnwmSt11align_val_tRKSt9nothrow_t", ALLOC_MALLOC, ALLOC_PROGRAMS, false},
	{"_ZnamSt11align_val_tRKSt9nothrow_t", ALLOC_MALLOC, ALLOC_PROGRAMS, false},
	{"_ZdlPv", ALLOC_FREE, ALLOC_PROGRAMS, false},
	{"_ZdaPv", ALLOC_FREE, ALLOC_PROGRAMS, false},
	{"_ZdlPvm", ALLOC_FREE, ALLOC_PROGRAMS, false},
	{"_ZdaPvm", ALLOC_FREE, ALLOC_PROGRAMS, false},
	{"_ZdlPvRKSt9nothrow_t", ALLOC_FREE, ALLOC_PROGRAMS, false},
	{"_ZdaPvRKSt9nothrow_t", ALLOC_FREE, ALLOC_PROGRAMS, false},
	{"_ZdlPvSt11align_val_t", ALLOC_FREE, ALLOC_PROGRAMS, false},
	{"_ZdaPvSt11align_val_t", ALLOC_FREE, ALLOC_PROGRAMS, false},
	{"_ZdlPvmSt11align_val_t", ALLOC_FREE, ALLOC_PROGRAMS, false},
	{"_ZdaPvmSt11align_val_t", ALLOC_FREE, ALLOC_PROGRAMS, false},
};

/* The functions of the program's own, whose names the user gives. */
static const struct known_function own_alloc = {"", ALLOC_OWN, ALLOC_OWN, false};
static const struct known_function own_free = {"", ALLOC_FREE, ALLOC_FREE, false};

static const struct known_function *find_known(const char *name, const struct alloc_own *own)
{
	if (own->alloc && !strcmp(name, own->alloc))
		return &own_alloc;
	if (own->free && !strcmp(name, own->free))
		return &own_free;
	for (size_t i = 0; i < ARRAY_LEN(known); i++)
		if (!strcmp(known[i].name, name))
			return &known[i];
	return NULL;
}

static bool is_operator(const struct known_function *function)
{
	return function->caller == ALLOC_PROGRAMS;
}

/* ---- in a child without privileges ---- */

/* A file whose functions are looked for. */
struct function_search {
	const struct alloc_file *file;
	const struct alloc_own *own;
	struct elffile *elf;
	struct plt *plt;
	struct wanted {
		struct elf_function function;
		const struct known_function *known;
	} list[WANTED_MAX];
	size_t nr;
	bool has_malloc;
	struct strbuf *output;
};

static void open_file(void *arg)
{
	struct function_search *s = arg;
	struct strbuf err = STRBUF_INIT;

	s->elf = elffile_open(s->file->path, &err);
	strbuf_release(&err);
}

static void take_function(void *context, const struct elf_function *function)
{
	struct function_search *s = context;
	const struct known_function *found = find_known(function->name, s->own);

	if (!found || function->is_resolver || !function->size || s->nr == WANTED_MAX)
		return;
	for (size_t i = 0; i < s->nr; i++)
		if (s->list[i].function.offset == function->offset)
			return;
	s->has_malloc |= found->program == ALLOC_MALLOC && !is_operator(found);
	s->list[s->nr++] = (struct wanted){*function, found};
}

/* Returns whether one of the functions is at ADDRESS, or called by the stub there. */
static bool is_wanted(const struct function_search *s, uint64_t address)
{
	struct plt_stub stub;

	for (size_t i = 0; i < s->nr; i++)
		if (s->list[i].function.address == address)
			return true;
	return plt_find(s->plt, address, &stub) &&
	       (stub.name ? find_known(stub.name, s->own) != NULL
			  : stub.target && stub.target != address && is_wanted(s, stub.target));
}

/* Returns whether the instruction calls, or jumps to, an address in memory or a register. */
static bool is_indirect(const struct insn *i)
{
	enum { CALL_OR_JUMP = 0xff, CALL = 2, JUMP = 4 }; /* opcode, and parts of it */

	return i->map == MAP_1 && i->opcode == CALL_OR_JUMP &&
	       ((i->reg & 7) == CALL || (i->reg & 7) == JUMP);
}

/*
 * Returns whether FUNCTION calls another of the functions, or jumps to it. With GUESSES, an
 * indirect call may be one, as libraries that stand before an allocator make it.
 */
static bool calls_another(
	const struct function_search *s, const struct elf_function *function, bool guesses)
{
	struct insn insn;
	uint64_t target;

	for (size_t at = 0; at < function->size; at += insn.length) {
		if (!insn_decode(&insn, function->code + at, function->size - at) ||
			(guesses && is_indirect(&insn)))
			return true;
		if (insn_target(&insn, function->address + at, &target) &&
			target - function->address >= function->size && is_wanted(s, target))
			return true;
	}
	return false;
}

/*
 * Returns the program for a function, or ALLOC_PROGRAMS if there is none: operators are left out if
 * they call malloc(), which is probed itself; libstdc++'s do.
 */
static enum alloc_program program_of(const struct function_search *s, const struct wanted *w)
{
	bool is_op = is_operator(w->known);

	if (is_op && !s->has_malloc)
		return ALLOC_PROGRAMS;
	return calls_another(s, &w->function, !is_op) ? w->known->caller : w->known->program;
}

static void take_mark(void *context, const struct sdt_note *note)
{
	struct function_search *s = context;
	bool is_alloc = !strcmp(note->name, "alloc");
	struct alloc_place place = {.offset = note->offset,
		.semaphore = note->semaphore,
		.program = is_alloc ? ALLOC_MARK : ALLOC_MARK_FREE};

	if (strcmp(note->provider, "otel_memory") || (!is_alloc && strcmp(note->name, "free")))
		return;
	for (unsigned i = 0; i < (is_alloc ? ALLOC_NUMBERS : 1); i++)
		if (at_mark_number(&place.number[i], s->elf, note, i + 1))
			return;
	strbuf_add(s->output, (const char *)&place, sizeof(place));
}

static void search(void *arg, struct strbuf *output)
{
	struct function_search *s = arg;

	if (!s->elf)
		return;
	elf_functions_each(s->elf, take_function, s);
	s->plt = plt_new(s->elf);
	for (size_t i = 0; i < s->nr; i++) {
		const struct elf_function *f = &s->list[i].function;
		struct alloc_place place = {.offset = f->offset,
			.program = program_of(s, &s->list[i]),
			.is_known = s->list[i].known->is_in_preload};

		if (place.program == ALLOC_PROGRAMS)
			continue;
		place.offset += entry_place(f->code, f->size, true);
		strbuf_add(output, (const char *)&place, sizeof(place));
	}
	plt_free(s->plt);
	s->output = output;
	sdt_notes(s->elf, take_mark, s);
}

/* ---- in this process, which does not trust the child ---- */

static bool has_valid_numbers(const struct alloc_place *place)
{
	for (size_t i = 0; i < ALLOC_NUMBERS; i++)
		if (!at_place_is_valid(&place->number[i]))
			return false;
	return true;
}

static void take_places(struct alloc_file *file, const struct strbuf *output)
{
	size_t nr = output->len / sizeof(*file->places);

	file->places = xcalloc(nr + 1, sizeof(*file->places));
	for (size_t i = 0; i < nr && file->nr < WANTED_MAX; i++) {
		struct alloc_place *place = &file->places[file->nr];

		memcpy(place, output->buf + i * sizeof(*place), sizeof(*place));
		file->nr += place->program < ALLOC_PROGRAMS && has_valid_numbers(place);
	}
}

void alloc_functions_find(struct alloc_file *files, size_t nr, const struct alloc_own *own)
{
	struct function_search *searches = xcalloc(nr + 1, sizeof(*searches));
	struct worker *workers = xcalloc(nr + 1, sizeof(*workers));

	for (size_t i = 0; i < nr; i++) {
		searches[i].file = &files[i];
		searches[i].own = own;
		workers[i] = (struct worker){.open = open_file,
			.work = search,
			.arg = &searches[i],
			.output = STRBUF_INIT};
	}
	workers_run(workers, nr, READ_S);
	for (size_t i = 0; i < nr; i++) {
		if (workers[i].end == WORKER_DONE)
			take_places(&files[i], &workers[i].output);
		strbuf_release(&workers[i].output);
	}
	free(workers);
	free(searches);
}
