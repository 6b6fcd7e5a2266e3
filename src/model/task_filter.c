/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "task_filter.h"
#include "lib/strbuf.h"
#include "lib/word.h"
#include "recording.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { TASKS_SAID = 8 };

static bool has_key(const struct label_filter *f, const char *key)
{
	for (size_t i = 0; i < f->nr; i++)
		if (!strcmp(f->choices[i].key, key))
			return true;
	return false;
}

static bool matches_text(
	const struct label_filter *f, const char *key, const char *value, size_t len)
{
	return !has_key(f, key) || (len && label_filter_has(f, key, value, len));
}

static bool matches_id(const struct label_filter *f, const char *key, uint64_t id)
{
	char text[24];
	int len = snprintf(text, sizeof(text), "%" PRIu64, id);

	return matches_text(f, key, text, id ? (size_t)len : 0);
}

bool task_filter_matches(const struct label_filter *f, const struct task *task)
{
	return matches_id(f, TASK_PID, task->pid) && matches_id(f, TASK_TID, task->tid) &&
	       matches_text(f, TASK_COMM, task->comm, task->len);
}

/* Appends "; it has nginx (PID 12, TID 12), …". */
static void add_tasks(const struct recording *rec, struct strbuf *out)
{
	for (size_t i = 0; i < rec->nr_tasks && i < TASKS_SAID; i++) {
		const struct rec_task *t = &rec->tasks[i];

		strbuf_adds(out, i ? ", " : "; it has ");
		message_add(out, recording_get(rec, t->comm), strpool_len(&rec->strings, t->comm));
		strbuf_addf(out, " (PID %" PRIu32 ", TID %" PRIu32 ")", t->pid, t->tid);
	}
	strbuf_adds(out, rec->nr_tasks > TASKS_SAID ? ", …\n" : "\n");
}

bool recording_has_tasks(
	const struct recording *rec, const struct recording_view *view, struct strbuf *notes)
{
	if (!view->tasks)
		return true;
	for (size_t i = 0; i < rec->nr_tasks; i++)
		if (recording_selects_task(rec, view, &rec->tasks[i]))
			return true;
	strbuf_adds(notes, "no recorded thread is selected by --pid, --tid and --comm");
	add_tasks(rec, notes);
	return false;
}
