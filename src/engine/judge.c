/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "judge.h"
#include "lib/util.h"
#include "process/process.h"
#include "symbol/elf/elffacts.h"

#include <stdlib.h>

/* Returns frame NUMBER of S, from the root. */
static struct user_frame frame_at(
	const struct judge *j, const struct sample_stack *s, uint32_t number)
{
	return samples_decode_frame(j->ps, j->samples->frames[s->first + s->nr - 1 - number]);
}

/* Asks for the unwind rules of F. */
static struct elf_question ask_rules(const struct user_frame *f)
{
	return (struct elf_question){.elf = f->object->elf,
		.fact = FACT_RULES,
		.place = f->address - f->call - f->map->start + f->map->offset};
}

/* Asks whether the call in F is in main. The question has no file if the place is not known. */
static struct elf_question ask_main(const struct user_frame *f)
{
	uint64_t link;

	if (!elffile_mapped(f->object->elf, f->map->offset, f->map->end - f->map->start, &link))
		return (struct elf_question){0};
	return (struct elf_question){.elf = f->object->elf,
		.fact = FACT_MAIN,
		.place = link + (f->address - f->map->start) - 1};
}

/*
 * Sets *Q to the question that must be answered to judge S, or returns false if there is none. If
 * the unwinder does not tell why it stopped at the last frame, its rules tell. If that frame has
 * none, it may be the start code of the C library (musl), which calls main.
 */
static bool ask(const struct judge *j, const struct sample_stack *s, struct elf_question *q)
{
	uint32_t number = s->end == WALK_NO_RULE;

	if ((s->end != SAMPLE_UNKNOWN && s->end != WALK_NO_RULE) || s->nr <= number)
		return false;
	struct user_frame f = frame_at(j, s, number);

	if (!f.object || !f.object->elf)
		return false;
	*q = number ? ask_main(&f) : ask_rules(&f);
	return q->elf;
}

void judge_ask(const struct judge *j)
{
	const struct samples *s = j->samples;
	struct elf_question *list = NULL;
	size_t nr = 0, alloc = 0;

	for (size_t i = 1; i < s->nr_stacks; i++) {
		ALLOC_GROW(list, nr, alloc);
		nr += s->stacks[i].kind == STACK_USER && ask(j, &s->stacks[i], &list[nr]);
	}
	elffacts_ask(list, nr);
	free(list);
}

/* Returns what cut a stack whose last frame is F: CAUSE, unless the file was never read. */
static uint32_t cut_in(const struct judge *j, const struct user_frame *f, enum cut_cause cause)
{
	const struct object *o = f->object;

	if (!o || !*o->path)
		return recording_string(j->rec, "[anonymous]");
	if (recording_is_memory(o->path))
		cause = CUT_RULES;
	else if (!o->elf || o->gap == CUT_DAMAGED)
		cause = o->gap;
	char *text = cut_text(cause, o->path);
	uint32_t string = recording_string(j->rec, text);

	free(text);
	return string;
}

/* Judges S by the file of its last frame, F. */
static enum stack_end judge_by_file(
	const struct judge *j, const struct sample_stack *s, const struct user_frame *f)
{
	struct elf_question q = {0};
	bool is_asked = ask(j, s, &q);

	if (s->end != SAMPLE_UNKNOWN)
		return is_asked && elffacts_is_main(q.elf, q.place) ? END_ROOT : END_CUT;
	enum elf_rules rules = is_asked ? elffacts_rules(q.elf, q.place) : RULES_NONE;

	if (!f->object || (rules == RULES_SOME && f->object->has_rules))
		return END_BROKEN;
	return rules == RULES_ROOT ? END_ROOT : END_CUT;
}

enum stack_end judge_stack(const struct judge *j, const struct sample_stack *s, uint32_t *cut_by)
{
	/* The causes that do not depend on files. */
	static const enum cut_cause causes[] = {
		[WALK_DEEP] = CUT_DEPTH,
		[WALK_BUSY] = CUT_BUSY,
		[WALK_COROUTINE] = CUT_COROUTINE,
		[WALK_PROBED] = CUT_PROBED,
		[WALK_NO_READ] = BROKEN_MEMORY,
		[WALK_NO_MAP] = BROKEN_CALLER,
		[SAMPLE_EARLIER] = CUT_EARLIER,
	};
	enum cut_cause cause = s->end < ARRAY_LEN(causes) ? causes[s->end] : 0;

	*cut_by = 0;
	if (cause) {
		*cut_by = recording_string(j->rec, cut_word(cause));
		return cause < BROKEN_FAILED ? END_CUT : END_BROKEN;
	}
	if (s->end != WALK_NO_RULE && s->end != WALK_PENDING && s->end != SAMPLE_UNKNOWN)
		return s->end == WALK_ROOT || s->end == SAMPLE_NAMED ? END_ROOT : END_BROKEN;
	struct user_frame last = frame_at(j, s, 0);
	enum stack_end end = judge_by_file(j, s, &last);

	if (end == END_CUT)
		*cut_by = cut_in(j, &last, s->end == WALK_PENDING ? CUT_LATE : CUT_RULES);
	return end;
}
