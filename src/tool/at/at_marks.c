/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "at_marks.h"
#include "arch/x86_64/sdt_operand.h"
#include "at_files.h"
#include "at_sites.h"
#include "engine/probe.h"
#include "lib/pattern.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "lib/worker.h"
#include "symbol/elf/elfdata.h"
#include "symbol/elf/elffile.h"
#include "symbol/elf/sdt.h"

#include <asm/ptrace.h>
#include <stdlib.h>
#include <string.h>

enum { READ_S = 20, SITES_MAX = 10000, NAME_BYTES = 64, WHY_BYTES = 64 };

/* A place of a mark, as the child without privileges finds it. */
struct mark_answer {
	uint64_t offset, address, semaphore;
	struct at_place value, tested;
	char name[NAME_BYTES], why[WHY_BYTES]; /* why a number is not known, or "" */
	unsigned argument;                     /* the number */
};

/* A question about the marks of a file. */
struct mark_question {
	const struct at_file *file;
	const struct probe *probe;
	unsigned value, tested; /* numbers of arguments, or 0 */
	struct elffile *elf;
	struct strbuf *output;
};

/* ---- in the child ---- */

static void open_file(void *arg)
{
	struct mark_question *q = arg;
	struct strbuf err = STRBUF_INIT;

	q->elf = elffile_open(q->file->path, &err);
	strbuf_release(&err);
}

/* Returns whether PATTERN, in which "-" stands for "__", matches NAME, or is NULL. */
static bool matches(const char *pattern, const char *name)
{
	struct strbuf text = STRBUF_INIT;

	if (!pattern)
		return true;
	for (; *pattern; pattern++)
		strbuf_adds(&text, *pattern == '-' ? "__" : (char[]){*pattern, '\0'});
	bool found = pattern_or_name_matches(text.buf, name, strlen(name));

	strbuf_release(&text);
	return found;
}

/* Adds the address of the operand's symbol. It is made relative to the address of the mark. */
static const char *add_symbol(
	struct sdt_operand *o, const struct elffile *elf, const struct sdt_note *note)
{
	char *name = xstrndup(o->symbol, o->symbol_len);
	struct elf_variable variable;
	bool found = elfdata_variable(elf, name, &variable) && !variable.per_thread;

	free(name);
	if (!found)
		return "it is at a symbol that the file does not have";
	if (o->base != SDT_NO_REGISTER && !o->is_relative)
		return "its place is in a form that is not known";
	o->base = offsetof(struct pt_regs, rip);
	o->number += (int64_t)(variable.address - note->address);
	return NULL;
}

const char *at_mark_number(struct at_place *place, const struct elffile *elf,
	const struct sdt_note *note, unsigned number)
{
	struct sdt_operand o;
	const char *why = number ? sdt_operand_parse(&o, note->arguments, number) : NULL;

	*place = (struct at_place){0};
	if (!number || why)
		return why;
	if (o.symbol)
		why = add_symbol(&o, elf, note);
	*place = (struct at_place){
		.kind = o.kind == SDT_MEMORY ? AT_MEMORY : AT_SUM,
		.offset = o.base == SDT_NO_REGISTER ? AT_NOWHERE : o.base,
		.index = o.index == SDT_NO_REGISTER ? AT_NOWHERE : o.index,
		.scale = o.scale,
		.size = o.size,
		.is_signed = o.is_signed,
		.number = o.number,
	};
	return why;
}

static void take_note(void *context, const struct sdt_note *note)
{
	struct mark_question *q = context;
	struct mark_answer a = {note->offset, note->address, note->semaphore, .argument = q->value};
	const char *why;

	if (!matches(q->probe->provider, note->provider) || !matches(q->probe->name, note->name))
		return;
	why = at_mark_number(&a.value, q->elf, note, q->value);
	if (!why && q->tested) {
		a.argument = q->tested;
		why = at_mark_number(&a.tested, q->elf, note, q->tested);
	}
	strncpy(a.name, note->name, sizeof(a.name) - 1);
	strncpy(a.why, why ? why : "", sizeof(a.why) - 1);
	strbuf_add(q->output, (const char *)&a, sizeof(a));
}

static void read_notes(void *arg, struct strbuf *output)
{
	struct mark_question *q = arg;

	q->output = output;
	if (q->elf)
		sdt_notes(q->elf, take_note, q);
}

/* ---- in this process, which does not trust the child ---- */

static bool is_register(uint16_t offset)
{
	return offset == AT_NOWHERE || offset < sizeof(struct pt_regs);
}

bool at_place_is_valid(const struct at_place *p)
{
	return p->kind <= AT_SUM && p->size <= 8 && is_register(p->offset) && is_register(p->index);
}

static int take_answer(struct at_sites *sites, const struct mark_question *q, struct mark_answer *a,
	struct strbuf *err)
{
	a->name[NAME_BYTES - 1] = a->why[WHY_BYTES - 1] = '\0';
	if (*a->why || !at_place_is_valid(&a->value) || !at_place_is_valid(&a->tested))
		return fail(err, "cannot take $arg%u at %s, at the mark %s: %s", a->argument,
			q->probe->text, a->name, *a->why ? a->why : "it cannot be read");
	if (sites->nr == SITES_MAX)
		return fail(err, "cannot probe %s: these are more than %d places", q->probe->text,
			SITES_MAX);
	at_sites_add(sites, &(struct at_site){.name = a->name,
				    .file = q->file,
				    .offset = a->offset,
				    .address = a->address,
				    .semaphore = a->semaphore,
				    .value = a->value,
				    .tested = a->tested});
	return 0;
}

static int ask(struct at_sites *sites, struct mark_question *q, struct strbuf *err)
{
	struct worker worker = {
		.open = open_file, .work = read_notes, .arg = q, .output = STRBUF_INIT};
	struct mark_answer answer;
	int ret = 0;

	workers_run(&worker, 1, READ_S);
	if (worker.end != WORKER_DONE)
		ret = fail(err, "cannot probe %s: the notes of %s cannot be read, %s",
			q->probe->text, q->file->name, worker_failure(worker.end));
	for (size_t at = 0; !ret && at + sizeof(answer) <= worker.output.len;
		at += sizeof(answer)) {
		memcpy(&answer, worker.output.buf + at, sizeof(answer));
		ret = take_answer(sites, q, &answer, err);
	}
	strbuf_release(&worker.output);
	return ret;
}

/* Returns the number of the argument that VALUE is, 0 if there is none, or -1 with ERR. */
static int argument_of(const struct measure_value *value, bool is_given, const struct probe *probe,
	struct strbuf *err)
{
	if (!is_given)
		return 0;
	return value->kind == VALUE_ARG && !value->size
		       ? (int)value->arg
		       : fail(err,
				 "cannot measure at %s: the numbers of a mark are $arg1, $arg2 and "
				 "so on",
				 probe->text);
}

int at_marks_find(struct at_sites *sites, const struct probe *probe, const struct measure *m,
	const struct at_files *files, struct strbuf *err)
{
	int value = argument_of(&m->value_parsed, m->value, probe, err);
	int tested = argument_of(&m->test_parsed.value, m->test, probe, err), ret = 0;

	if (value < 0 || tested < 0)
		return -1;
	for (size_t i = 0; i < files->nr && !ret; i++) {
		struct mark_question q = {.file = &files->list[i],
			.probe = probe,
			.value = (unsigned)value,
			.tested = (unsigned)tested};

		ret = ask(sites, &q, err);
	}
	if (ret || sites->nr)
		return ret;
	return fail(err, "cannot probe %s: %s has no such mark; readelf -n shows its marks",
		probe->text, files->nr == 1 ? files->list->name : "no file of this name");
}
