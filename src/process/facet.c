/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "facet.h"
#include "lib/util.h"
#include "process.h"
#include "task.h"

#include <bpf/bpf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * A subject is initialised some time after its file is mapped, so it is searched again every
 * AGAIN_MS during YOUNG_MS, then every LATER_MS, but for no more than one in PAUSE_TIMES of the
 * time: a look at a server may read thousands of connections. Many runtimes are never initialised,
 * as the JIT compiler of a virtual machine that has hardware to run on: they are looked at ever
 * more rarely, after one in EARLY_TIMES of the time since their files were mapped.
 */
enum { YOUNG_MS = 1000, AGAIN_MS = 20, LATER_MS = 1000, PAUSE_TIMES = 100, EARLY_TIMES = 8 };

enum { LOOKS_MAX = 10 }; /* before the start, at a process that executes other programs */

void facet_init(
	struct facet *f, const struct facet_ops *ops, const char *title, struct processes *ps)
{
	*f = (struct facet){
		.ops = ops, .title = title, .ps = ps, .map = -1, .refusals = STRBUF_INIT};
	table_init(&f->by_pid);
}

/* ---- entries ---- */

static void set_again(struct facet *f, struct facet_entry *e, enum facet_again again)
{
	f->nr_again += (size_t)(again != FACET_NEVER) - (size_t)(e->again != FACET_NEVER);
	e->again = again;
}

static void clear(struct facet *f, struct facet_entry *e)
{
	if (f->ops->clear)
		f->ops->clear(f, e);
	set_again(f, e, FACET_NEVER);
}

/* Begins E anew, for another process or program with its PID, at NOW. */
static void renew(struct facet *f, struct facet_entry *e, int64_t now)
{
	clear(f, e);
	*e = (struct facet_entry){.pid = e->pid,
		.process = e->process,
		.place = e->place,
		.began_ns = now,
		.data = e->data};
	memset(e->data, 0, f->ops->size);
	if (now > f->youngest_ns)
		f->youngest_ns = now;
}

static void drop(struct facet *f, struct facet_entry *e)
{
	clear(f, e);
	free(e->data);
}

void facet_release(struct facet *f)
{
	for (size_t i = 0; i < f->nr; i++)
		drop(f, &f->list[i]);
	free(f->list);
	table_release(&f->by_pid);
	strbuf_release(&f->refusals);
	*f = (struct facet){.map = -1};
}

struct facet_entry *facet_known(const struct facet *f, uint32_t pid)
{
	const uint32_t *at = f->ops ? table_get(&f->by_pid, pid, 0) : NULL;

	return at ? &f->list[*at] : NULL;
}

struct facet_entry *facet_found(const struct facet *f, uint32_t pid)
{
	struct facet_entry *e = facet_known(f, pid);

	return e && e->state == FACET_FOUND ? e : NULL;
}

/* Returns the entry of PID, which is added if there is none. */
static struct facet_entry *entry_of_pid(struct facet *f, uint32_t pid)
{
	bool is_new;
	uint32_t *at = table_put(&f->by_pid, pid, 0, &is_new);

	if (is_new) {
		*at = (uint32_t)f->nr;
		ALLOC_GROW(f->list, f->nr, f->alloc);
		f->list[f->nr++] =
			(struct facet_entry){.pid = pid, .data = xcalloc(1, f->ops->size + 1)};
	}
	return &f->list[*at];
}

/* Makes E the entry of P. */
static void adopt(const struct facet *f, struct facet_entry *e, const struct process *p)
{
	e->process = p->id;
	e->place = (size_t)(p - f->ps->list);
}

struct facet_entry *facet_entry(struct facet *f, const struct process *p)
{
	struct facet_entry *e = entry_of_pid(f, p->pid);
	bool is_inherited = !e->process && e->state == FACET_FOUND;

	if (e->process != p->id && !is_inherited)
		renew(f, e, monotonic_ns());
	adopt(f, e, p);
	return e;
}

struct process *facet_process(const struct facet *f, const struct facet_entry *e)
{
	struct process *p = e->process ? &f->ps->list[e->place] : NULL;

	return p && p->pid && p->id == e->process ? p : NULL;
}

/* ---- looks ---- */

static void report(struct facet *f, struct facet_entry *e, const char *why)
{
	e->is_reported = true;
	strbuf_addf(&f->refusals, "process %" PRIu32 ": %s\n", e->pid, why);
}

/* Returns whether E's process has executed another program since the subject was found. */
static bool is_stale(const struct facet_entry *e)
{
	uint64_t now = e->state == FACET_FOUND && e->program ? task_program(e->pid) : 0;

	return now && now != e->program;
}

/*
 * The BPF programs drop the value when the process executes another program. The event of that may
 * not have been read yet, so it is asked afterwards whether the value came too late.
 */
static void publish(struct facet *f, struct facet_entry *e)
{
	const void *value = f->ops->value && e->state == FACET_FOUND ? f->ops->value(f, e) : NULL;

	if (f->map < 0)
		return;
	if (!value || is_stale(e)) {
		bpf_map_delete_elem(f->map, &e->pid);
	} else if (bpf_map_update_elem(f->map, &e->pid, value, BPF_ANY) && !e->is_reported) {
		struct strbuf why = STRBUF_INIT;

		strbuf_addf(&why, "too many processes with %s", f->title);
		report(f, e, why.buf);
		strbuf_release(&why);
	} else if (is_stale(e)) {
		bpf_map_delete_elem(f->map, &e->pid);
	}
}

void facet_start(struct facet *f, int map)
{
	f->map = map;
	for (size_t i = 0; i < f->nr; i++)
		publish(f, &f->list[i]);
}

/* A subject is young when its file is mapped, even if the process is not. */
static void set_state(struct facet *f, struct facet_entry *e, enum facet_state state)
{
	if (e->state <= FACET_NONE && state > FACET_NONE)
		e->began_ns = f->youngest_ns = e->looked_ns;
	e->state = state;
	f->any |= state == FACET_FOUND;
}

static void executed(struct facet *f, uint32_t pid)
{
	struct facet_entry *e = facet_known(f, pid);

	if (e)
		renew(f, e, monotonic_ns());
	if (f->ops->executed)
		f->ops->executed(f, pid);
}

/* Begins E anew for a program whose event has not been read yet, or was lost. */
static void begin_again(struct facet *f, struct facet_entry *e)
{
	struct process *p = facet_process(f, e);

	executed(f, e->pid);
	if (p && !p->gone)
		process_scan(f->ps, p, NULL);
}

static enum facet_state look(
	struct facet *f, const struct process *p, struct facet_entry *e, struct strbuf *why)
{
	int64_t began_ns = monotonic_ns();
	struct strbuf reason = STRBUF_INIT;

	if (is_stale(e))
		begin_again(f, e);
	uint64_t program = f->ops->value ? task_program(p->pid) : 0;

	set_again(f, e, FACET_NEVER);
	enum facet_state state = f->ops->look(f, p, e, &reason);

	f->nr_again += e->again != FACET_NEVER;
	e->changes = p->changes;
	e->looked_ns = monotonic_ns();
	e->look_took_ns = e->looked_ns - began_ns;
	if (state == FACET_REFUSED)
		set_again(f, e, FACET_SOON);
	/* a process that ends meanwhile keeps its state, and one that was found what was found */
	if (state == FACET_REFUSED && (e->state == FACET_FOUND || !task_lives(p->pid, 0)))
		state = e->state == FACET_FOUND ? FACET_FOUND : FACET_NONE;
	else
		set_state(f, e, state);
	if (state == FACET_FOUND)
		e->program = program;
	if (state == FACET_REFUSED)
		strbuf_add(why, reason.buf, reason.len);
	strbuf_release(&reason);
	publish(f, e);
	return state;
}

static bool is_recent(int64_t time_ns)
{
	return monotonic_ns() - time_ns < YOUNG_MS * 1000000LL;
}

/* Returns how long after a look the next one is due. */
static int64_t pause_ns(const struct facet_entry *e)
{
	int64_t pause = LATER_MS * 1000000LL, share = e->look_took_ns * PAUSE_TIMES;

	if (e->again != FACET_LATER && is_recent(e->began_ns))
		return AGAIN_MS * 1000000LL;
	if (e->state == FACET_EARLY && share < (e->looked_ns - e->began_ns) / EARLY_TIMES)
		share = (e->looked_ns - e->began_ns) / EARLY_TIMES;
	return share > pause ? share : pause;
}

static bool is_due(const struct facet_entry *e, const struct process *p)
{
	if (e->state == FACET_NEW || e->changes != p->changes)
		return true;
	return e->again != FACET_NEVER && monotonic_ns() - e->looked_ns > pause_ns(e);
}

const struct facet_entry *facet_current(struct facet *f, const struct process *p)
{
	struct facet_entry *e = facet_entry(f, p);
	struct strbuf why = STRBUF_INIT;

	if (!p->gone && (e->state == FACET_NEW || e->changes != p->changes))
		look(f, p, e, &why);
	strbuf_release(&why);
	return e;
}

void facet_inherit(struct facet *f, uint32_t parent, uint32_t child)
{
	struct facet_entry *e = entry_of_pid(f, child);
	const struct facet_entry *from = facet_found(f, parent);
	const struct process *p = processes_known(f->ps, child);

	renew(f, e, 0); /* it is initialised from the start */
	e->process = 0;
	e->state = FACET_FOUND;
	e->program = from ? from->program : 0;
	if (p) {
		adopt(f, e, p);
		e->changes = p->changes;
	}
	if (task_lives(child, 0))
		publish(f, e);
}

/* Looks at P, and again if it has executed another program meanwhile. */
static enum facet_state look_at_program(
	struct facet *f, const struct process *p, struct facet_entry *e, struct strbuf *why)
{
	enum facet_state state = FACET_NONE;

	for (int i = 0; i < LOOKS_MAX; i++) {
		uint64_t program = task_program(p->pid);

		strbuf_reset(why);
		state = look(f, p, e, why);
		if (state == FACET_FOUND || task_program(p->pid) == program)
			break;
		begin_again(f, e);
	}
	return state;
}

static bool has_just_started(const struct process *p)
{
	return p->start > task_start_at(monotonic_ns() - YOUNG_MS * 1000000LL);
}

/* Looks at all processes. Returns whether one that does not have the subject has just started. */
static bool look_at_each(struct facet *f)
{
	bool is_young = false;

	strbuf_reset(&f->refusals);
	for (size_t i = 0; i < f->ps->nr; i++) {
		const struct process *p = &f->ps->list[i];
		struct facet_entry *e = facet_entry(f, p);
		struct strbuf why = STRBUF_INIT;

		if (look_at_program(f, p, e, &why) == FACET_REFUSED)
			report(f, e, why.buf);
		is_young |= e->state != FACET_FOUND && has_just_started(p);
		strbuf_release(&why);
	}
	return is_young;
}

int facet_look_at_all(struct facet *f, bool must, struct strbuf *err)
{
	while (look_at_each(f) && must && !f->any) {
		usleep(AGAIN_MS * 1000);
		for (size_t i = 0; i < f->nr; i++)
			begin_again(f, &f->list[i]);
	}
	if (f->any || !must)
		return 0;
	strbuf_add(err, f->refusals.buf, strcspn(f->refusals.buf, "\n"));
	return f->refusals.len ? -1 : 1;
}

/*
 * Looks at P if that is due. A process that is no longer young is looked at one last time, as the
 * recorder may have had no processor time while it was. A refusal is reported once.
 */
static void update(struct facet *f, const struct process *p)
{
	struct facet_entry *e = facet_entry(f, p);
	struct strbuf why = STRBUF_INIT;
	bool was_refused = e->state == FACET_REFUSED;
	bool is_last = e->again == FACET_WHILE_YOUNG && !is_recent(e->began_ns);

	if (!p->gone && (is_last || is_due(e, p)) && look(f, p, e, &why) == FACET_REFUSED &&
		!e->is_reported &&
		(!f->ops->is_patient || (was_refused && !is_recent(e->began_ns))))
		report(f, e, why.buf);
	if (is_last)
		set_again(f, e, FACET_NEVER);
	strbuf_release(&why);
}

/*
 * Looks at processes whose mappings have changed, and at those to be looked at again. Returns true
 * if any is so young that it should be soon.
 */
static bool update_all(struct facet *f)
{
	const struct processes *ps = f->ps;
	bool young = false;

	for (size_t i = 0; !f->ops->is_lazy && i < ps->nr_changed; i++)
		update(f, &ps->list[ps->changed[i]]);
	for (size_t i = 0; f->nr_again && i < f->nr; i++) {
		const struct process *p = facet_process(f, &f->list[i]);

		if (!p || f->list[i].again == FACET_NEVER)
			continue;
		young |= is_recent(f->list[i].began_ns);
		update(f, p);
	}
	return young || (f->ops->is_eager && is_recent(f->youngest_ns));
}

/* ---- all facets of a recording ---- */

void facets_add(struct facets *fs, struct facet *f)
{
	if (fs->nr == FACETS_MAX)
		abort(); /* any recording shows it */
	fs->list[fs->nr++] = f;
}

void facets_free(const struct facets *fs)
{
	for (size_t i = 0; i < fs->nr; i++)
		if (fs->list[i]->ops->is_owned) {
			facet_release(fs->list[i]);
			free(fs->list[i]);
		}
}

void facets_forked(const struct facets *fs, uint32_t parent, uint32_t child, int64_t time_ns)
{
	for (size_t i = 0; i < fs->nr; i++)
		if (fs->list[i]->ops->forked)
			fs->list[i]->ops->forked(fs->list[i], parent, child, time_ns);
}

void facets_executed(const struct facets *fs, uint32_t pid)
{
	for (size_t i = 0; i < fs->nr; i++)
		executed(fs->list[i], pid);
}

void facets_ended(const struct facets *fs, uint32_t pid)
{
	for (size_t i = 0; i < fs->nr; i++) {
		struct facet *f = fs->list[i];

		if (f->map >= 0)
			bpf_map_delete_elem(f->map, &pid);
		if (f->ops->ended)
			f->ops->ended(f, pid);
	}
}

bool facets_update(const struct facets *fs)
{
	bool young = false;

	for (size_t i = 0; i < fs->nr; i++) {
		struct facet *f = fs->list[i];

		if (f->ops->look)
			young |= update_all(f);
		if (f->ops->update)
			f->ops->update(f);
	}
	return young;
}

/* Drops the entries of processes that were forgotten, or never added. */
static void sweep(struct facet *f)
{
	size_t kept = 0;
	bool is_new;

	table_release(&f->by_pid);
	table_init(&f->by_pid);
	for (size_t i = 0; i < f->nr; i++) {
		struct facet_entry *e = &f->list[i];

		if (!facet_process(f, e)) {
			drop(f, e);
			continue;
		}
		*table_put(&f->by_pid, e->pid, 0, &is_new) = (uint32_t)kept;
		f->list[kept++] = *e;
	}
	f->nr = kept;
}

void facets_sweep(const struct facets *fs)
{
	for (size_t i = 0; i < fs->nr; i++) {
		if (fs->list[i]->nr)
			sweep(fs->list[i]);
		if (fs->list[i]->ops->sweep)
			fs->list[i]->ops->sweep(fs->list[i]);
	}
}

void facets_finish(const struct facets *fs, const bool *used, struct strbuf *notes)
{
	for (size_t i = 0; i < fs->nr; i++)
		if (fs->list[i]->ops->finish)
			fs->list[i]->ops->finish(fs->list[i], used, notes);
}

void facets_note(const struct facets *fs, struct strbuf *notes)
{
	for (size_t i = 0; i < fs->nr; i++) {
		strbuf_add(notes, fs->list[i]->refusals.buf, fs->list[i]->refusals.len);
		if (fs->list[i]->ops->note)
			fs->list[i]->ops->note(fs->list[i], notes);
	}
}
