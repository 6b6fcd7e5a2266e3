/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "skid.h"
#include "lib/strbuf.h"
#include "lib/util.h"

#include <stdlib.h>
#include <string.h>

/* Functions of Linux whose last instructions enable interrupts, and do nothing else that takes
 * time. */
static const char *const functions[] = {
	"_raw_spin_unlock_irq",
	"_raw_spin_unlock_irqrestore",
	"_raw_read_unlock_irq",
	"_raw_read_unlock_irqrestore",
	"_raw_write_unlock_irq",
	"_raw_write_unlock_irqrestore",
	"__raw_spin_unlock_irq",
	"__raw_spin_unlock_irqrestore",
	"arch_local_irq_enable",
	"arch_local_irq_restore",
	"native_irq_enable",
	"native_restore_fl",
	"pvm_irq_enable",
	"pvm_restore_fl",
	"xen_irq_enable_direct",
	"xen_restore_fl_direct",
	"__raw_callee_save_pvm_irq_enable",
	"__raw_callee_save_pvm_restore_fl",
};

/* Whether P counts timer ticks: events of perf, or the samples of a recording. */
static bool is_of_ticks(const struct profile *p)
{
	static const char *const events[] = {"cpu-clock", "task-clock"};

	for (size_t i = 0; p->event && i < ARRAY_LEN(events); i++)
		if (!strcmp(p->event, events[i]))
			return true;
	return !p->event && !strcmp(p->unit, "samples");
}

/* For each frame, whether it is such a function; freed by the caller. */
static bool *find_functions(const struct profile *p)
{
	bool *found = xcalloc(p->nr_frames + 1, sizeof(*found));

	for (uint32_t i = 1; i < p->nr_frames; i++) {
		const char *name = profile_name(p, i, NULL);

		for (size_t k = 0; p->frames[i].kind == FRAME_KERNEL && k < ARRAY_LEN(functions);
			k++)
			found[i] |= !strcmp(name, functions[k]);
	}
	return found;
}

/* Adds the self weights of nodes, by frame; returns the frame with most of it, 0: there is none. */
static uint32_t add_up(const struct profile *p, const bool *found, uint64_t *sum)
{
	uint64_t *weights = xcalloc(p->nr_frames + 1, sizeof(*weights));
	uint32_t most = 0;

	*sum = 0;
	for (uint32_t i = 1; i < p->nr_nodes; i++) {
		uint32_t frame = p->nodes[i].frame;

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
	if (!most || p->reversed || !is_of_ticks(p) || sum < p->account.kept / 100)
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

	for (uint32_t i = p->nr_nodes; i-- > 1;) { /* a parent's number is below its children's */
		struct profile_node *n = &p->nodes[i];

		if (!found[n->frame] || !n->parent)
			continue;
		add_capped(&p->nodes[n->parent].self, n->self);
		n->self = 0;
	}
	free(found);
}
