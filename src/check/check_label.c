/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The preflight for labels: whether the processes have their source, and whether its layout is
 * known.
 */
#include "check_list.h"
#include "label/label.h"
#include "process/inspect.h"

#include <inttypes.h>

enum { PROCESSES_MAX = 64 };

/* Reports what is found in process PID. Returns false if it does not have SOURCE. */
static bool say_found(struct check_context *c, const struct label_source *source,
	struct processes *ps, uint32_t pid)
{
	const struct process *p = processes_get(ps, pid);
	struct strbuf text = STRBUF_INIT, err = STRBUF_INIT;
	struct label_layout layout;
	struct target target;
	int found = 1;

	if (p->generation) {
		inspect_init(&target, ps, p, NULL);
		found = source->find(&target, &layout, &err);
		if (!found)
			source->describe(&target, &layout, pid, &text);
		inspect_release(&target);
	}
	if (!found)
		check_found(c, "%s", text.buf);
	else if (found < 0)
		check_missing(c, "%s", err.buf);
	strbuf_release(&text);
	strbuf_release(&err);
	return found <= 0;
}

static void check_source(
	struct check_context *c, const struct label_source *source, struct processes *ps)
{
	const struct check_request *r = c->request;
	size_t nr = 0;

	c->name = source->name;
	for (size_t i = 0; i < r->nr_pids && i < PROCESSES_MAX; i++)
		nr += say_found(c, source, ps, r->pids[i]);
	if (nr)
		return;
	check_missing(c, "process %" PRIu32 " runs no %s", r->pids[0], source->title);
	check_remedy(c, "give the number of a process that does, or leave out --%s", source->name);
}

void check_label(struct check_context *c)
{
	const struct check_request *r = c->request;
	struct processes ps;

	if (!r->nr_pids)
		return;
	processes_init(&ps);
	for (size_t i = 0; r->labels && i < r->labels->nr; i++)
		check_source(c, r->labels->list[i].source, &ps);
	processes_release(&ps);
}
