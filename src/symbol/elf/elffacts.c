/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "elffacts.h"
#include "cold_part.h"
#include "elffile_internal.h"
#include "large_callee.h"
#include "lib/hash.h"
#include "lib/table.h"
#include "lib/util.h"
#include "lib/worker.h"
#include "pclntab.h"
#include "symtab.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

enum {
	CHILD_S = 5,       /* time limit of one child */
	FAILED_S = 15,     /* time limit of all children that crashed or were late */
	RANGES_MAX = 1000, /* ranges of data that are asked of one file */
};

struct answer {
	uint32_t answered, result;
	uint64_t value, size;
	char name[ELF_VARIABLE_NAME];
};

struct elffacts {
	bool is_bad; /* the file crashed or delayed a child */
	struct table known;
	struct answer *answers; /* the table has their indexes */
	size_t nr, alloc;
	struct elf_data_range *ranges;
	size_t nr_ranges, ranges_alloc;
};

static int64_t failed_ns; /* total run time of the children that did not end well */

void elffacts_free(struct elffacts *facts)
{
	if (!facts)
		return;
	table_release(&facts->known);
	free(facts->answers);
	free(facts->ranges);
	free(facts);
}

static struct elffacts *facts_of(const struct elffile *elf)
{
	struct elffacts **facts = elffile_facts(elf);

	if (!*facts) {
		*facts = xcalloc(1, sizeof(**facts));
		table_init(&(*facts)->known);
	}
	return *facts;
}

/* ---- known answers ---- */

static uint64_t hash_of(const struct elf_question *q)
{
	return hash_pair(q->fact, q->name ? hash_text(q->name, strlen(q->name)) : 0);
}

static const struct answer *find(const struct elf_question *q)
{
	const struct elffacts *facts = facts_of(q->elf);
	const uint32_t *at = table_get(&facts->known, hash_of(q), q->place);

	return at ? &facts->answers[*at] : NULL;
}

static void keep(const struct elf_question *q, const struct answer *answer)
{
	struct elffacts *facts = facts_of(q->elf);
	bool is_new;
	uint32_t *at = table_put(&facts->known, hash_of(q), q->place, &is_new);

	if (!is_new)
		return;
	*at = (uint32_t)facts->nr;
	ALLOC_GROW(facts->answers, facts->nr, facts->alloc);
	facts->answers[facts->nr++] = *answer;
}

/* ---- in the child ---- */

static void set_place(struct answer *a, bool found, const struct elf_variable *v)
{
	a->result = found;
	a->value = v->address;
	a->size = v->size;
}

static struct answer look_up(const struct elf_question *q)
{
	struct elf_variable v = {0};
	struct elf_data_range range;
	struct answer a = {0};

	switch (q->fact) {
	case FACT_VARIABLE:
		set_place(&a, elfdata_variable(q->elf, q->name, &v), &v);
		a.result <<= v.per_thread;
		break;
	case FACT_THREAD_PLACE:
		a.result = elfdata_thread_place(q->elf, q->name, &a.value);
		break;
	case FACT_SECTION:
		a.result = elfdata_section(q->elf, q->name, &a.value, &a.size);
		break;
	case FACT_RULES:
		a.result = elffile_rules(q->elf, q->place);
		break;
	case FACT_MAIN:
		a.result = symtab_is_main(q->elf, q->place);
		break;
	case FACT_NAMES:
		a.result = debugfile_names_known(q->elf, q->name, q->paths);
		break;
	case FACT_HIDDEN_EH_FRAME:
		a.value = elffile_hidden_eh_frame(q->elf);
		break;
	case FACT_DATA:
		elfdata_at(q->elf, q->place, &range);
		a.result = range.is_data;
		a.value = range.start;
		a.size = range.end - range.start;
		memcpy(a.name, range.variable, sizeof(a.name));
		break;
	case FACT_NEEDS:
		a.result = elfdata_needs(q->elf, q->name);
		break;
	case FACT_GO_FUNCTION:
		set_place(&a, pclntab_find(q->elf, q->name, &v), &v);
		break;
	case FACT_LARGE_CALLEE:
		set_place(&a, large_callee_find(q->elf, q->name, &v), &v);
		break;
	case FACT_COLD_PART:
		set_place(&a, cold_part_find(q->elf, q->name, &v), &v);
		break;
	}
	return a;
}

/* Questions for one child, which answers them in this order. */
struct elf_batch {
	const struct elf_question **list;
	size_t nr;
	volatile struct answer *answers; /* shared, so that answers before a crash are kept */
};

static void answer_all(void *arg, struct strbuf *output)
{
	const struct elf_batch *b = arg;

	(void)output;
	for (size_t i = 0; i < b->nr; i++) {
		b->answers[i] = look_up(b->list[i]);
		__atomic_store_n(&b->answers[i].answered, 1, __ATOMIC_RELEASE);
	}
}

/* ---- for the recorder ---- */

static void drop_first(struct elf_batch *b, size_t nr)
{
	b->nr -= nr;
	memmove(b->list, b->list + nr, b->nr * sizeof(*b->list));
}

/* Drops the file of the first question, which had no answer. */
static void drop_bad_file(struct elf_batch *b)
{
	const struct elffile *bad = b->list[0]->elf;
	size_t nr = 0;

	facts_of(bad)->is_bad = true;
	for (size_t i = 0; i < b->nr; i++)
		if (b->list[i]->elf != bad)
			b->list[nr++] = b->list[i];
	b->nr = nr;
}

/*
 * Returns whether the file is to blame for the END of a child. It is not if the child could not be
 * started, or if a foreign process ended it.
 */
static bool is_files_end(enum worker_end end)
{
	return end != WORKER_NONE && end != WORKER_SIGNALLED;
}

/*
 * Runs a child. Removes the questions that it answers and, if it did not end well, the file that is
 * to blame.
 */
static enum worker_end run_child(struct elf_batch *b)
{
	struct worker worker = {.work = answer_all, .arg = b, .output = STRBUF_INIT};
	int64_t began = monotonic_ns();
	size_t done = 0;

	workers_run(&worker, 1, CHILD_S);
	strbuf_release(&worker.output);
	for (; done < b->nr; done++) {
		struct answer answer = b->answers[done];

		if (!answer.answered)
			break;
		keep(b->list[done], &answer);
	}
	if (worker.end != WORKER_DONE)
		failed_ns += monotonic_ns() - began;
	drop_first(b, done);
	/* a question that was late after other answers gets another child and its full time */
	if (b->nr && is_files_end(worker.end) && (worker.end != WORKER_LATE || !done))
		drop_bad_file(b);
	return worker.end;
}

/* Returns false if no more children are to be started. */
static bool run_batch(struct elf_batch *b)
{
	size_t size = b->nr * sizeof(*b->answers);
	enum worker_end end;
	void *shared;

	if (failed_ns > FAILED_S * 1000000000LL)
		return false;
	shared = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		return false;
	b->answers = shared;
	end = run_child(b);
	munmap(shared, size);
	return is_files_end(end);
}

/* Returns whether the file is root's. Other users cannot have written it, unless root lets them. */
static bool is_roots(const struct elffile *elf)
{
	struct stat st;

	return elffile_fd(elf) < 0 || (!fstat(elffile_fd(elf), &st) && !st.st_uid);
}

/*
 * Asks the new questions of LIST about files that are root's or, without ROOTS, other users' files.
 */
static void ask_some(const struct elf_question *list, size_t nr, bool roots)
{
	struct elf_batch batch = {.list = xcalloc(nr ? nr : 1, sizeof(*batch.list))};
	struct table asked;

	table_init(&asked);
	for (size_t i = 0; i < nr; i++) {
		bool is_new;

		if (find(&list[i]) || facts_of(list[i].elf)->is_bad ||
			is_roots(list[i].elf) != roots)
			continue;
		table_put(&asked, hash_pair(hash_of(&list[i]), (uintptr_t)list[i].elf),
			list[i].place, &is_new);
		if (is_new)
			batch.list[batch.nr++] = &list[i];
	}
	table_release(&asked);
	while (batch.nr && run_batch(&batch))
		;
	free(batch.list);
}

void elffacts_ask(const struct elf_question *list, size_t nr)
{
	ask_some(list, nr, true);
	ask_some(list, nr, false);
}

static struct answer get(const struct elf_question *q)
{
	const struct answer *known = find(q);

	if (!known) {
		elffacts_ask(q, 1);
		known = find(q);
	}
	return known ? *known : (struct answer){0};
}

bool elffacts_variable(const struct elffile *elf, const char *name, struct elf_variable *variable)
{
	struct answer a = get(&(struct elf_question){elf, FACT_VARIABLE, name, 0, NULL});

	if (a.result)
		*variable = (struct elf_variable){a.value, a.size, a.result == 2};
	return a.result;
}

enum elf_thread_place elffacts_thread_place(
	const struct elffile *elf, const char *name, uint64_t *value)
{
	struct answer a = get(&(struct elf_question){elf, FACT_THREAD_PLACE, name, 0, NULL});

	*value = a.value;
	return a.result <= THREAD_DESCRIPTOR ? a.result : THREAD_NOWHERE;
}

bool elffacts_section(
	const struct elffile *elf, const char *name, uint64_t *address, uint64_t *size)
{
	struct answer a = get(&(struct elf_question){elf, FACT_SECTION, name, 0, NULL});

	*address = a.value;
	*size = a.size;
	return a.result;
}

enum elf_rules elffacts_rules(const struct elffile *elf, uint64_t file_offset)
{
	struct answer a = get(&(struct elf_question){elf, FACT_RULES, NULL, file_offset, NULL});

	return a.result <= RULES_ROOT ? a.result : RULES_NONE;
}

bool elffacts_is_main(const struct elffile *elf, uint64_t address)
{
	return get(&(struct elf_question){elf, FACT_MAIN, NULL, address, NULL}).result;
}

bool elffacts_names_known(
	const struct elffile *elf, const char *path, const struct debug_paths *paths)
{
	return get(&(struct elf_question){elf, FACT_NAMES, path, 0, paths}).result;
}

uint64_t elffacts_hidden_eh_frame(const struct elffile *elf)
{
	return get(&(struct elf_question){elf, FACT_HIDDEN_EH_FRAME, NULL, 0, NULL}).value;
}

bool elffacts_needs(const struct elffile *elf, const char *library)
{
	return get(&(struct elf_question){elf, FACT_NEEDS, library, 0, NULL}).result;
}

/* Returns the known range around ADDRESS, or NULL. */
static const struct elf_data_range *find_range(const struct elffacts *facts, uint64_t address)
{
	for (size_t i = 0; i < facts->nr_ranges; i++) {
		const struct elf_data_range *r = &facts->ranges[i];

		if (address >= r->start && address < r->end)
			return r;
	}
	return NULL;
}

static struct elf_data_range ask_range(const struct elffile *elf, uint64_t address)
{
	struct answer a = get(&(struct elf_question){elf, FACT_DATA, NULL, address, NULL});
	struct elf_data_range r = {a.value, a.value + a.size, a.result, ""};

	/* a child that a hostile file has taken over may answer anything */
	if (address < r.start || address >= r.end)
		return (struct elf_data_range){.start = address, .end = address + 1};
	memcpy(r.variable, a.name, sizeof(a.name) - 1);
	return r;
}

void elffacts_data_at(const struct elffile *elf, uint64_t address, struct elf_data_range *range)
{
	struct elffacts *facts = facts_of(elf);
	const struct elf_data_range *known = find_range(facts, address);

	if (known) {
		*range = *known;
		return;
	}
	*range = (struct elf_data_range){.start = address, .end = address};
	if (facts->nr_ranges >= RANGES_MAX)
		return;
	*range = ask_range(elf, address);
	ALLOC_GROW(facts->ranges, facts->nr_ranges, facts->ranges_alloc);
	facts->ranges[facts->nr_ranges++] = *range;
}

/* Returns whether a fact of NAME is known that is a place, and sets PLACE. */
static bool get_place(
	const struct elffile *elf, enum elf_fact fact, const char *name, struct elf_variable *place)
{
	struct answer a = get(&(struct elf_question){elf, fact, name, 0, NULL});

	*place = (struct elf_variable){.address = a.value, .size = a.size};
	return a.result;
}

bool elffacts_large_callee(
	const struct elffile *elf, const char *name, struct elf_variable *function)
{
	return get_place(elf, FACT_LARGE_CALLEE, name, function);
}

bool elffacts_go_function(
	const struct elffile *elf, const char *name, struct elf_variable *function)
{
	return get_place(elf, FACT_GO_FUNCTION, name, function);
}

bool elffacts_cold_part(const struct elffile *elf, const char *name, struct elf_variable *part)
{
	return get_place(elf, FACT_COLD_PART, name, part);
}
