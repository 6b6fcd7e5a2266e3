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
		account->cut |= note_is_cut(name);
		account->broken |= note_is_broken(name);
	} else if (kind != FRAME_INLINE && kind != FRAME_TASK) { /* those have no address */
		bool unnamed = frame_is_unnamed(p, frame);

		account->unnamed += unnamed;
		account->named += !unnamed;
	}
}

void account_add_stack(struct account *account, const struct stack_account *stack, uint64_t weight)
{
	add_capped(&account->kept, weight);
	add_product_capped(&account->named, stack->named, weight);
	add_product_capped(&account->unnamed, stack->unnamed, weight);
	if (stack->broken)
		add_capped(&account->broken, weight);
	else if (stack->cut)
		add_capped(&account->cut, weight);
}

void profile_recount(struct profile *p)
{
	struct account *account = &p->account;
	struct stack_account *stacks = xcalloc(p->nr_nodes, sizeof(*stacks));

	account->kept = account->whole = account->cut = account->broken = 0;
	account->named = account->unnamed = 0;
	for (uint32_t i = 0; i < p->nr_nodes; i++) {
		const struct profile_node *n = &p->nodes[i];

		if (i) {
			stacks[i] = stacks[n->parent];
			stack_account_add_frame(&stacks[i], p, n->frame);
		}
		account_add_stack(account, &stacks[i], n->self);
	}
	if (account->known)
		account->whole = account->kept - account->cut - account->broken;
	free(stacks);
}
