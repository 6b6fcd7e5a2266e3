/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report_keys.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "model/recording_time.h"

#include <stdlib.h>
#include <string.h>

#define LABEL "label:"

static const struct {
	const char *word, *one, *several;
} kinds[NR_BY] = {
	[BY_FUNCTION] = {"function", "function", "functions"},
	[BY_CATEGORY] = {"category", "category", "categories"},
	[BY_MODULE] = {"module", "module", "modules"},
	[BY_FILE] = {"file", "file", "files"},
	[BY_LINE] = {"line", "line", "lines"},
	[BY_COMM] = {"comm", "name", "names"},
	[BY_PROCESS] = {"process", "process", "processes"},
	[BY_THREAD] = {"thread", "thread", "threads"},
	[BY_LABEL] = {"value", "value", "values"},
};

/* For messages. */
static const char *const words[] = {
	"function", "category", "module", "file", "line", "comm", "process", "thread", NULL};

const char *report_keys_column(const struct report_keys *keys, size_t key)
{
	enum report_by by = keys->list[key];

	return by == BY_LABEL && keys->nr_labels > 1 ? report_keys_label(keys, key)
						     : kinds[by].word;
}

const char *report_keys_label(const struct report_keys *keys, size_t key)
{
	size_t nr = 0;

	for (size_t i = 0; i < key; i++)
		nr += keys->list[i] == BY_LABEL;
	return keys->labels[nr];
}

bool report_keys_are_a_label(const struct report_keys *keys)
{
	return keys->nr == 1 && keys->nr_labels == 1;
}

const char *report_by_noun(enum report_by by, size_t n)
{
	return n == 1 ? kinds[by].one : kinds[by].several;
}

bool report_by_is_of_stacks(enum report_by by)
{
	return by >= BY_COMM;
}

static bool is_of_tasks(enum report_by by)
{
	return report_by_is_of_stacks(by) && by != BY_LABEL;
}

bool report_keys_have(const struct report_keys *keys, enum report_by by)
{
	for (size_t i = 0; i < keys->nr; i++)
		if (keys->list[i] == by)
			return true;
	return false;
}

size_t report_keys_of_task(const struct report_keys *keys)
{
	size_t i = 0;

	while (i < keys->nr && !is_of_tasks(keys->list[i]))
		i++;
	return i;
}

size_t report_keys_of_label(const struct report_keys *keys, size_t nr)
{
	size_t i = 0;

	while (i < keys->nr && (keys->list[i] != BY_LABEL || nr--))
		i++;
	return i;
}

bool report_keys_are_of_stacks(const struct report_keys *keys)
{
	for (size_t i = 0; i < keys->nr; i++)
		if (!report_by_is_of_stacks(keys->list[i]))
			return false;
	return true;
}

bool report_keys_are_slices(const struct report_keys *keys)
{
	return report_keys_are_a_label(keys) && !strcmp(keys->labels[0], RECORDING_SLICE);
}

bool report_by_has_module(enum report_by by)
{
	return by == BY_FUNCTION || by == BY_FILE || by == BY_LINE;
}

bool report_keys_add_module(const struct report_keys *keys)
{
	bool any = false;

	for (size_t i = 0; i < keys->nr; i++)
		any |= report_by_has_module(keys->list[i]);
	return any && !report_keys_have(keys, BY_MODULE);
}

static enum report_by by_of(const char *word)
{
	for (enum report_by by = 0; by < BY_LABEL; by++)
		if (!strcmp(kinds[by].word, word))
			return by;
	return BY_LABEL;
}

static int check_pair(enum report_by a, enum report_by b, struct strbuf *err)
{
	if (a == b && a != BY_LABEL)
		return fail(err, "it has %s twice", kinds[a].word);
	if (is_of_tasks(a) && is_of_tasks(b))
		return fail(err, "use only one of comm, process and thread");
	return 0;
}

static int add_label(struct report_keys *keys, const char *label, struct strbuf *err)
{
	for (size_t i = 0; i < keys->nr_labels; i++)
		if (!strcmp(keys->labels[i], label))
			return fail(err, "it has %s twice", label);
	if (keys->nr_labels == REPORT_LABELS_MAX)
		return fail(err,
			"up to %d of the keys can be labels: select a value of another one with "
			"--label KEY=VALUE; the others are function, category, module, file, line, "
			"comm, process and thread",
			REPORT_LABELS_MAX);
	keys->labels[keys->nr_labels++] = xstrdup(label);
	return 0;
}

static int add_key(struct report_keys *keys, const char *word, struct strbuf *err)
{
	enum report_by by = by_of(word);
	size_t skip = begins_with(word, strlen(word), LABEL) ? strlen(LABEL) : 0;

	if (!word[skip])
		return fail(err, "use KEY[,KEY...]; label:KEY is for the key of a label");
	for (size_t i = 0; i < keys->nr; i++)
		if (check_pair(keys->list[i], by, err) < 0)
			return -1;
	if (by == BY_LABEL && add_label(keys, word + skip, err) < 0)
		return -1;
	keys->list[keys->nr++] = by;
	return 0;
}

int report_keys_parse(struct report_keys *keys, const char *arg, struct strbuf *err)
{
	for (;;) {
		size_t len = strcspn(arg, ",");
		char *word = xstrndup(arg, len);
		int ret = add_key(keys, word, err);

		free(word);
		if (ret < 0 || !arg[len])
			return ret;
		arg += len + 1;
	}
}

void report_keys_release(struct report_keys *keys)
{
	for (size_t i = 0; i < keys->nr_labels; i++)
		free(keys->labels[i]);
	*keys = (struct report_keys){0};
}

void report_keys_read(const struct report_keys *keys, struct recording_view *view)
{
	if (report_keys_have(keys, BY_FILE) || report_keys_have(keys, BY_LINE))
		view->lines = view->paths = true;
	if (report_keys_have(keys, BY_COMM) || report_keys_have(keys, BY_PROCESS)) {
		view->comm = report_keys_have(keys, BY_COMM);
		view->processes = !view->comm;
		view->threads = false;
	}
	view->threads |= report_keys_have(keys, BY_THREAD);
	view->counts = report_keys_are_of_stacks(keys);
	if (!keys->nr_labels)
		return;
	view->by = keys->labels[0];
	for (size_t i = 1; i < keys->nr_labels; i++)
		view->by_more[i - 1] = keys->labels[i];
	view->by_words = words;
	view->keep_labels = true;
}
