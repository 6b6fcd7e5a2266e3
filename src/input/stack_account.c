/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stack_account.h"
#include "lib/util.h"
#include "notes.h"

#include <stdlib.h>

void stack_account_add_frame(struct stack_account *account, const struct profile *p, uint32_t frame)
{
	enum frame_kind kind = p->frames[frame].kind;
	const char *name = profile_name(p, frame, NULL);

	if (p->frames[frame].label == LABEL_SET)
		return;
	if (kind == FRAME_NOTE) {
		bool broken = note_is_broken(name), cut = note_is_cut(name);

		if (broken || (cut && !account->broken))
			account->note = frame;
		account->cut |= cut;
		account->broken |= broken;
		return;
	}
	if (kind != FRAME_TASK && !account->outermost)
		account->outermost = frame;
	if (kind != FRAME_INLINE && kind != FRAME_TASK) { /* these have no address */
		bool unnamed = frame_is_unnamed(p, frame);

		account->unnamed += unnamed;
		account->named += !unnamed;
	}
}

/* Returns the file of a frame: its module, or the file in its name. */
static uint32_t file_of_frame(struct profile *p, uint32_t frame)
{
	const char *module = profile_module(p, frame);
	size_t len, start;
	const char *name = profile_name(p, frame, &len);

	if (!frame || *module)
		return cuts_file(&p->cuts, frame ? module : NULL);
	start = name_of_start(name, len);
	if (start)
		return strpool_add(&p->cuts.names, name, start);
	if (name_is_unnamed(name, len) && strcmp(name, "[unknown]"))
		return strpool_add(&p->cuts.names, name + 1, len - 2);
	return 0;
}

/* Returns why and where a stack with the note NOTE is truncated. */
static struct cut cut_by_note(struct profile *p, const char *note)
{
	static const char begin[] = "[truncated: ";
	struct cut cut = {.cause = CUT_TEXT};
	size_t len;

	if (strncmp(note, begin, strlen(begin)) || !note[strlen(begin)])
		return cut;
	char *by = xstrdup(note + strlen(begin));

	by[strlen(by) - 1] = '\0'; /* the closing bracket */
	cut.cause = cut_cause_of(by, &len);
	if (cut.cause == CUT_RULES && *by == '[' && strcmp(by, "[vdso]"))
		cut = (struct cut){.cause = CUT_MEMORY, .generated = true};
	else if (cut.cause <= CUT_LATE)
		cut.file = strpool_add(&p->cuts.names, by, len);
	free(by);
	return cut;
}

static struct cut broken_by_note(struct profile *p, const char *note, uint32_t outermost)
{
	if (ends_with(note, ": inconsistent]"))
		return (struct cut){.cause = BROKEN_VM};
	if (strcmp(note, "[broken]"))
		return (struct cut){.cause = BROKEN_EMPTY};
	return (struct cut){.cause = BROKEN_FAILED, .file = file_of_frame(p, outermost)};
}

static void add_cut(struct profile *p, const struct stack_account *stack, uint64_t weight)
{
	const char *note = profile_name(p, stack->note, NULL);
	struct cut cut =
		stack->broken ? broken_by_note(p, note, stack->outermost) : cut_by_note(p, note);

	cut.weight = weight;
	cuts_add(&p->cuts, &cut);
}

void account_add_stack(struct profile *p, const struct stack_account *stack, uint64_t weight)
{
	struct account *account = &p->account;

	add_capped(&account->kept, weight);
	add_product_capped(&account->named, stack->named, weight);
	add_product_capped(&account->unnamed, stack->unnamed, weight);
	if (stack->broken)
		add_capped(&account->broken, weight);
	else if (stack->cut)
		add_capped(&account->cut, weight);
	if (weight && (stack->broken || stack->cut))
		add_cut(p, stack, weight);
}

void profile_recount(struct profile *p)
{
	struct account *account = &p->account;
	struct stack_account *stacks = xcalloc(p->nr_nodes, sizeof(*stacks));

	account->kept = account->whole = account->cut = account->broken = 0;
	account->named = account->unnamed = 0;
	cuts_release(&p->cuts);
	cuts_init(&p->cuts);
	for (uint32_t i = 0; i < p->nr_nodes; i++) {
		const struct profile_node *n = &p->nodes[i];

		if (i) {
			stacks[i] = stacks[n->parent];
			stack_account_add_frame(&stacks[i], p, n->frame);
		}
		account_add_stack(p, &stacks[i], n->self);
	}
	if (account->known)
		account->whole = account->kept - account->cut - account->broken;
	free(stacks);
}
