/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "jvms.h"
#include "jit_hotspot.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "process/facet.h"
#include "process/jitmap.h"
#include "jvm.h"
#include "process/task.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
	ASKED_MAX = 16,   /* how many are asked at a time */
	FIRST_MS = 500,   /* from the first look at a process to a request; doubled each time … */
	PAUSE_MS = 60000, /* … up to this */
	LOOK_MS = 50,     /* between two updates */
	FINISH_MS = 3000,
};

/* The facet's data of a process. */
struct jvm {
	struct jvm_request request;
	bool is_asked;            /* the request was sent */
	bool is_named;            /* it has written a map on request */
	bool is_last;             /* it was asked at the end, or need not be */
	enum jvm_end end;         /* of the last request */
	int64_t due_ns, pause_ns; /* pause_ns is 0 until the process is first seen */
};

struct jvms {
	struct facet facet;
	size_t nr_asked;
	bool early;
	bool (*impatient)(void);
	int64_t look_ns; /* the next update is not before this time */
};

static struct jvm *jvm_of(struct jvms *j, const struct process *p)
{
	struct jvm *jvm = facet_entry(&j->facet, p)->data;

	if (!jvm->pause_ns) {
		jvm->pause_ns = FIRST_MS * 1000000LL;
		jvm->due_ns = monotonic_ns() + jvm->pause_ns;
	}
	return jvm;
}

/* Takes the answers that have come. Their processes may have ended since. */
static void take_answers(struct jvms *j)
{
	int map;

	for (size_t i = 0; j->nr_asked && i < j->facet.nr; i++) {
		const struct facet_entry *e = &j->facet.list[i];
		struct jvm *jvm = e->data;
		enum jvm_end end =
			jvm->is_asked ? jvm_request_end(&jvm->request, &map) : JVM_PENDING;

		if (end == JVM_PENDING)
			continue;
		const struct process *p = facet_process(&j->facet, e);

		jvm->is_asked = false;
		j->nr_asked--;
		jvm->end = end;
		jvm->is_named |= end == JVM_WROTE;
		if (map >= 0 && p && p->jit)
			jitmap_put(p->jit, map);
		else if (map >= 0)
			close(map);
	}
}

/* Returns the first mapping of libjvm.so, or NULL if there is none. */
static const struct mapping *runtime_of_jvm(const struct processes *ps, const struct process *p)
{
	for (size_t i = 0; i < p->nr_maps; i++) {
		const struct mapping *m = &ps->maps[p->maps[i]];
		const struct object *o = &ps->objects[m->object];

		if (o->elf && !strcmp(file_name(o->path), "libjvm.so"))
			return m;
	}
	return NULL;
}

/* Returns whether there is a map that was not requested. */
static bool has_other_map(const struct jvm *jvm, const struct process *p)
{
	if (jvm->is_named)
		return false;
	jitmap_open(p->jit);
	return jitmap_found(p->jit);
}

/* Asks a JVM unless it has a map, refuses requests, or is too young. */
static void ask(struct jvms *j, struct jvm *jvm, const struct process *p)
{
	const struct processes *ps = j->facet.ps;
	const struct mapping *m = runtime_of_jvm(ps, p);
	uint32_t pid = task_process(p->pid);

	if (!m || has_other_map(jvm, p))
		return;
	switch (jit_hotspot_state(ps, p, m)) {
	case JVM_STATE_NONE:
		jvm->end = JVM_FAILED;
		break;
	case JVM_STATE_YOUNG:
		jvm->end = JVM_GONE;
		break;
	case JVM_STATE_REFUSES:
		jvm->end = JVM_CLOSED;
		break;
	case JVM_STATE_READY:
		jvm->is_asked = jvm_request_start(
			&jvm->request, pid, task_start(pid, pid), jitmap_tmp(p->jit));
		j->nr_asked += jvm->is_asked;
		break;
	}
}

static void update(struct facet *f)
{
	struct jvms *j = (struct jvms *)f;
	const struct processes *ps = j->facet.ps;
	int64_t now = monotonic_ns();

	if (!j->early || now < j->look_ns)
		return;
	j->look_ns = now + LOOK_MS * 1000000LL;
	take_answers(j);
	for (size_t i = 0; i < ps->nr && j->nr_asked < ASKED_MAX; i++) {
		const struct process *p = &ps->list[i];
		struct jvm *jvm = p->pid && !p->gone && p->jit ? jvm_of(j, p) : NULL;

		if (!jvm || jvm->is_asked || now < jvm->due_ns)
			continue;
		ask(j, jvm, p);
		jvm->due_ns = now + jvm->pause_ns;
		jvm->pause_ns *= jvm->pause_ns < PAUSE_MS * 1000000LL ? 2 : 1;
	}
}

static void clear(struct facet *f, struct facet_entry *e)
{
	struct jvms *j = (struct jvms *)f;
	struct jvm *jvm = e->data;

	if (jvm->is_asked)
		jvm_request_release(&jvm->request);
	j->nr_asked -= jvm->is_asked;
	jvm->is_asked = false;
}

/* ---- the end ---- */

/* Returns whether samples have frames in the compiled code of P. */
static bool is_needed(const struct processes *ps, const struct process *p, const bool *used)
{
	if (!p->pid || !p->jit || !runtime_of_jvm(ps, p))
		return false;
	for (size_t i = 0; i < p->nr_maps; i++)
		if (used[p->maps[i]] &&
			recording_is_memory(ps->objects[ps->maps[p->maps[i]].object].path))
			return true;
	return false;
}

/*
 * Asks JVMs that have not been asked, as many as may be asked at a time. Returns false if none is
 * left.
 */
static bool ask_next(struct jvms *j, const bool *used)
{
	const struct processes *ps = j->facet.ps;

	for (size_t i = 0; i < ps->nr; i++) {
		const struct process *p = &ps->list[i];

		if (p->gone || !is_needed(ps, p, used))
			continue;
		struct jvm *jvm = jvm_of(j, p);

		if (jvm->is_last || jvm->is_asked)
			continue;
		if (j->nr_asked == ASKED_MAX)
			return true;
		jvm->is_last = true;
		ask(j, jvm, p);
	}
	return false;
}

static void explain(
	const size_t nr[JVM_ENDS], const uint32_t example[JVM_ENDS], struct strbuf *notes)
{
	static const char *const reasons[JVM_ENDS] = {
		[JVM_PENDING] = "there was no time to ask them all",
		[JVM_HAS_MAP] = "in its /tmp is a file perf-PID.map that is empty or not its own: "
				"remove it",
		[JVM_OLD] = "it is older than Java 17: use perf-map-agent",
		[JVM_SILENT] = "the JVM did not answer",
		[JVM_CLOSED] =
			"the JVM takes no requests: start it without -XX:+DisableAttachMechanism",
		[JVM_FAILED] = "the JVM wrote no map",
		[JVM_FORBIDDEN] = "to ask it needs the rights of its user, and that this user may "
				  "write to its /tmp",
		[JVM_GONE] = "it ended before it was asked: start java with "
			     "-XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit (Java 17)",
	};

	for (size_t i = 0; i < JVM_ENDS; i++) {
		if (!nr[i] || !reasons[i])
			continue;
		strbuf_addf(notes, "compiled Java code of process %" PRIu32, example[i]);
		if (nr[i] > 1)
			strbuf_addf(notes, " and %zu others", nr[i] - 1);
		strbuf_addf(notes, " has no names: %s\n", reasons[i]);
	}
}

static void note_missing(struct jvms *j, const bool *used, struct strbuf *notes)
{
	const struct processes *ps = j->facet.ps;
	size_t nr[JVM_ENDS] = {0};
	uint32_t example[JVM_ENDS];

	for (size_t i = 0; i < ps->nr; i++) {
		const struct process *p = &ps->list[i];

		if (!is_needed(ps, p, used) || jitmap_found(p->jit))
			continue;
		const struct jvm *jvm = jvm_of(j, p);
		enum jvm_end end = jvm->is_asked ? JVM_SILENT : jvm->end;

		if (end == JVM_PENDING && p->gone)
			end = JVM_GONE;
		if (!nr[end]++)
			example[end] = p->pid;
	}
	explain(nr, example, notes);
}

static void finish(struct facet *f, const bool *used, struct strbuf *notes)
{
	struct jvms *j = (struct jvms *)f;
	int64_t end = monotonic_ns() + FINISH_MS * 1000000LL;
	bool more;

	do {
		take_answers(j);
		more = ask_next(j, used);
		if (more || j->nr_asked)
			nanosleep(&(struct timespec){0, 5000000}, NULL);
	} while ((more || j->nr_asked) && monotonic_ns() < end && !j->impatient());
	note_missing(j, used, notes);
}

struct facet *jvms_new(struct processes *ps, bool early, bool (*impatient)(void))
{
	static const struct facet_ops ops = {.size = sizeof(struct jvm),
		.is_owned = true,
		.clear = clear,
		.update = update,
		.finish = finish};
	struct jvms *j = xcalloc(1, sizeof(*j));

	facet_init(&j->facet, &ops, "a JVM", ps);
	j->early = early;
	j->impatient = impatient;
	return &j->facet;
}
