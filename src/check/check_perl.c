/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The preflight for Perl stacks: is there a perl in the processes, and is it one that we know. */
#include "check_list.h"
#include "vm/inspect.h"
#include "vm/perl/perl.h"

#include <inttypes.h>

/* One with Perl is enough. FOUND and REFUSED: the first of each kind, in words. */
struct perls_seen {
	struct strbuf found, refused;
	uint32_t without;  /* a process that has none, 0: none */
	size_t nr_running; /* processes that could be looked at */
};

static void describe(struct strbuf *out, uint32_t pid, const struct perl_layout *l)
{
	strbuf_addf(out, "perl 5.%u.%u in '%s' of process %" PRIu32 ", known by %s", l->minor,
		l->patch, l->path, pid,
		l->source == PERL_FROM_TABLE ? "its version" : "its debug file");
}

static void look_at(struct processes *ps, uint32_t pid, struct perls_seen *seen)
{
	const struct process *p = processes_get(ps, pid);
	struct strbuf err = STRBUF_INIT;
	struct perl_layout layout;
	struct target target;

	if (!p->generation)
		return;
	seen->nr_running++;
	inspect_init(&target, ps, p, NULL);
	int found = perl_find(&target, NULL, &layout, &err);

	if (found > 0)
		seen->without = pid;
	else if (found < 0 && !seen->refused.len)
		strbuf_adds(&seen->refused, err.buf);
	else if (!found && !seen->found.len)
		describe(&seen->found, pid, &layout);
	inspect_release(&target);
	strbuf_release(&err);
}

static void report(struct check_context *c, const struct perls_seen *seen)
{
	if (seen->found.len) {
		check_found(c, "%s", seen->found.buf);
	} else if (seen->refused.len) {
		check_missing(c, "%s", seen->refused.buf);
	} else if (c->request->children) {
		check_degraded(c, "process %" PRIu32 " runs no Perl yet", seen->without);
	} else {
		check_missing(c, "process %" PRIu32 " runs no Perl", seen->without);
		check_remedy(c, "give the number of a process that does; without --perl and "
				"--mixed any can be recorded");
	}
}

void check_perl(struct check_context *c)
{
	const struct check_request *r = c->request;
	struct perls_seen seen = {.found = STRBUF_INIT, .refused = STRBUF_INIT};
	struct processes ps;

	if (!r->perl)
		return;
	processes_init(&ps);
	for (size_t i = 0; i < r->nr_pids; i++)
		look_at(&ps, r->pids[i], &seen);
	if (seen.nr_running)
		report(c, &seen);
	processes_release(&ps);
	strbuf_release(&seen.found);
	strbuf_release(&seen.refused);
}
