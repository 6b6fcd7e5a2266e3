/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "skid.h"
#include "lib/pattern.h"
#include "lib/strbuf.h"
#include "lib/util.h"

#include <stdlib.h>
#include <string.h>

/* Functions of Linux whose last instructions enable interrupts. Nothing else in them takes time. */
static const char *const functions[] = {
	"_raw_*_unlock_irq",
	"_raw_*_unlock_irqrestore",
	"__raw_spin_unlock_irq*",
	"arch_local_irq_enable",
	"arch_local_irq_restore",
	"native_irq_enable",
	"native_restore_fl",
	"pvm_irq_enable",
	"pvm_restore_fl",
	"xen_irq_enable_direct",
	"xen_restore_fl_direct",
	"__raw_callee_save_pvm_*",
};

/* Whether P counts timer ticks, which are events of perf, or the samples of a recording. */
static bool is_of_ticks(const struct profile *p)
{
	static const char *const events[] = {"cpu-clock", "task-clock"};

	for (size_t i = 0; p->event && i < ARRAY_LEN(events); i++)
		if (!strcmp(p->event, events[i]))
			return true;
	return !p->event && !strcmp(p->unit, "samples");
}

/* Returns for each frame whether it is one of these functions. The caller frees the list. */
static bool *find_functions(const struct profile *p)
{
	bool *found = xcalloc(p->nr_frames + 1, sizeof(*found));

	for (uint32_t i = 1; i < p->nr_frames; i++) {
		size_t len;
		const char *name = profile_name(p, i, &len);

		for (size_t k = 0; p->frames[i].kind == FRAME_KERNEL && k < ARRAY_LEN(functions);
			k++)
			found[i] |= pattern_or_name_matches(functions[k], name, len);
	}
	return found;
}

/* Returns the node of the leaf function. The labels of a sample come after it. */
static uint32_t leaf_of(const struct profile *p, uint32_t node)
{
	const struct profile_node *n = &p->nodes[node];

	return p->frames[n->frame].label == LABEL_SET ? n->parent : node;
}

/*
 * Sets SUM to the weight of the late samples. Returns the frame with most of it, or 0 if there is
 * none.
 */
static uint32_t add_up(const struct profile *p, const bool *found, uint64_t *sum)
{
	uint64_t *weights = xcalloc(p->nr_frames + 1, sizeof(*weights));
	uint32_t most = 0;

	*sum = 0;
	for (uint32_t i = 1; i < p->nr_nodes; i++) {
		uint32_t frame = p->nodes[leaf_of(p, i)].frame;

		if (!found[frame])
			continue;
		add_capped(sum, p->nodes[i].self);
		add_capped(&weights[frame], p->nodes[i].self);
		if (weights[frame] > weights[most])
			most = frame;
	}
	free(weights);
	return most;
}

void skid_line(const struct profile *p, struct strbuf *out)
{
	bool *found = find_functions(p);
	uint64_t sum;
	uint32_t most = add_up(p, found, &sum);

	free(found);
	if (!most || p->reversed || !is_of_ticks(p) || !account_is_much(sum, p->account.kept))
		return;
	account_add_share(sum, p->account.kept, out);
	strbuf_addf(out,
		" of the samples are late: they came when the kernel enabled interrupts again "
		"(%s); --skid caller gives them to the callers\n",
		profile_name(p, most, NULL));
}

void skid_to_callers(struct profile *p)
{
	bool *found = find_functions(p);

	for (uint32_t i = 1; i < p->nr_nodes; i++) {
		struct profile_node *n = &p->nodes[i];
		uint32_t leaf = leaf_of(p, i), caller = leaf;

		while (found[p->nodes[caller].frame] && p->nodes[caller].parent)
			caller = p->nodes[caller].parent;
		if (caller == leaf)
			continue;
		if (leaf != i) {
			n->parent = caller;
			continue;
		}
		profile_move_self(p, caller, i);
	}
	free(found);
}
