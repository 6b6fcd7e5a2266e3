/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "at_functions.h"
#include "arch/x86_64/entry_place.h"
#include "at_files.h"
#include "at_sites.h"
#include "engine/probe.h"
#include "lib/pattern.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "lib/worker.h"
#include "symbol/elf/elf_functions.h"
#include "symbol/elf/elffile.h"

#include <string.h>

enum { READ_S = 20, NAME_BYTES = 128, FUNCTIONS_MAX = 100000 };

/* A function, as the child without privileges finds it. */
struct function_answer {
	uint64_t offset, address;
	bool is_resolver;
	char name[NAME_BYTES];
};

/* A question about the functions of a file. */
struct function_question {
	const struct at_file *file;
	const struct probe *probe;
	struct elffile *elf;
	bool keeps_stack; /* the stack pointer at the place is the same as at the call */
	struct strbuf *output;
};

/* ---- in the child ---- */

static void open_file(void *arg)
{
	struct function_question *q = arg;
	struct strbuf err = STRBUF_INIT;

	q->elf = elffile_open(q->file->path, &err);
	strbuf_release(&err);
}

static void take_function(void *context, const struct elf_function *function)
{
	struct function_question *q = context;
	struct function_answer a = {function->offset, function->address, function->is_resolver, ""};

	if ((function->is_untyped && probe_is_pattern(q->probe)) ||
		!pattern_or_name_matches(q->probe->name, function->name, strlen(function->name)))
		return;
	a.offset += entry_place(function->code, function->size, q->keeps_stack);
	strncpy(a.name, function->name, sizeof(a.name) - 1);
	strbuf_add(q->output, (const char *)&a, sizeof(a));
}

static void read_functions(void *arg, struct strbuf *output)
{
	struct function_question *q = arg;

	q->output = output;
	if (q->elf)
		elf_functions_each(q->elf, take_function, q);
}

/* ---- in this process, which does not trust the child ---- */

static int take_answer(struct at_sites *sites, struct at_left_out *left,
	const struct function_question *q, struct function_answer *a, struct strbuf *err)
{
	static const char why[] = "which choose another function when the program starts (IFUNC)";

	a->name[NAME_BYTES - 1] = '\0';
	if (a->is_resolver && !probe_is_pattern(q->probe))
		return fail(err,
			"cannot probe %s: it is chosen when the program starts (IFUNC); probe the "
			"functions that it may be",
			q->probe->text);
	if (a->is_resolver)
		at_left_out_add(left, a->name, why);
	else if (sites->nr < FUNCTIONS_MAX)
		at_sites_add(sites, &(struct at_site){.name = a->name,
					    .file = q->file,
					    .offset = a->offset,
					    .address = a->address});
	else
		return fail(err, "cannot probe %s: these are more than %d functions",
			q->probe->text, FUNCTIONS_MAX);
	return 0;
}

static int ask(struct at_sites *sites, struct at_left_out *left, struct function_question *q,
	struct strbuf *err)
{
	struct worker worker = {
		.open = open_file, .work = read_functions, .arg = q, .output = STRBUF_INIT};
	struct function_answer answer;
	int ret = 0;

	workers_run(&worker, 1, READ_S);
	if (worker.end != WORKER_DONE)
		ret = fail(err, "cannot probe %s: the symbols of %s cannot be read, %s",
			q->probe->text, q->file->name, worker_failure(worker.end));
	for (size_t at = 0; !ret && at + sizeof(answer) <= worker.output.len;
		at += sizeof(answer)) {
		memcpy(&answer, worker.output.buf + at, sizeof(answer));
		ret = take_answer(sites, left, q, &answer, err);
	}
	strbuf_release(&worker.output);
	return ret;
}

int at_functions_find(struct at_sites *sites, struct at_left_out *left, const struct probe *probe,
	const struct at_files *files, bool returns, struct strbuf *err)
{
	for (size_t i = 0; i < files->nr; i++) {
		struct function_question q = {.file = &files->list[i],
			.probe = probe,
			.keeps_stack = probe->at_return || returns};

		if (ask(sites, left, &q, err))
			return -1;
	}
	at_sites_sort(sites);
	if (sites->nr)
		return 0;
	return fail(err, "cannot probe %s: %s has no %s %s, or is stripped", probe->text,
		files->nr == 1 ? files->list->name : "no file of this name",
		probe_is_pattern(probe) ? "function" : "symbol", probe->name);
}
