/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "windows.h"
#include "lib/limits/memory.h"
#include "lib/program.h"
#include "lib/strbuf.h"
#include "lib/user.h"
#include "lib/util.h"
#include "options.h"

#include <inttypes.h>
#include <string.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <unistd.h>

/* Adds the labels of --set to all rows. */
static void add_labels(struct recording *rec, const struct options *o)
{
	struct label pairs[LABEL_SET_MAX];
	uint32_t *sets = xcalloc(rec->labels.nr_sets + 1, sizeof(*sets));
	size_t nr_sets = rec->labels.nr_sets;

	for (size_t i = 0; o->nr_set && i < rec->nr_rows; i++) {
		uint32_t numbers[LABEL_SET_MAX], set = rec->rows[i].labels;
		size_t nr = 0;

		if (set < nr_sets && sets[set]) {
			rec->rows[i].labels = sets[set] - 1;
			continue;
		}
		for (size_t k = 0; k < o->nr_set; k++) {
			const char *value = strchr(o->set[k], '=') + 1;
			char *key = xstrndup(o->set[k], (size_t)(value - 1 - o->set[k]));

			pairs[nr++] = (struct label){
				recording_string(rec, key), recording_string(rec, value)};
			free(key);
		}
		size_t of_row = labels_get(&rec->labels, set, numbers);

		for (size_t k = 0; k < of_row && nr < LABEL_SET_MAX; k++)
			pairs[nr++] = rec->labels.pairs[numbers[k]];
		rec->rows[i].labels = recording_labels(rec, pairs, nr);
		if (set < nr_sets)
			sets[set] = rec->rows[i].labels + 1;
	}
	free(sets);
}

/* Names the frames of a window and puts it into the spool. */
static int keep(struct windows *w, struct recording *rec, const struct open_files *files)
{
	struct symbol_options symbol = w->options->symbol;
	struct strbuf notes = STRBUF_INIT, err = STRBUF_INIT;

	symbol.files = files;
	symbol.debuginfod = DEBUGINFOD_NEVER; /* the recorder must go on */
	symbol.quiet = true;
	name_memory_resolve(&w->names, rec, &symbol, &notes);
	add_labels(rec, w->options);
	if (w->options->title)
		recording_set_meta(rec, "heading", w->options->title);
	int ret = spool_add(&w->spool, rec, &err);

	const char *said =
		trouble_note(&w->trouble, err.buf, "windows are written again", monotonic_ns());

	if (said)
		program_say("%.*s", (int)strcspn(said, "\n"), said);
	strbuf_release(&err);
	strbuf_release(&notes);
	return ret;
}

/* Takes a window with the rights of the user, whose folder the spool is. */
static void take(void *arg, struct recording *rec)
{
	struct windows *w = arg;

	user_use_capabilities(false);
	keep(w, rec, &w->files);
	push_watch(&w->push);
	user_use_capabilities(true);
	open_files_return(&w->files);
	memory_trim();
}

/* Returns when the windows of this host end, so that not all hosts send at once. */
static double offset_of(double every)
{
	struct utsname uts = {0};

	uname(&uts);
	return (double)(hash_bytes(uts.nodename, strlen(uts.nodename)) % (uint64_t)every);
}

int windows_begin(struct windows *w, struct options *o)
{
	struct strbuf err = STRBUF_INIT;

	*w = (struct windows){.options = o,
		.spool = {.folder = o->spool,
			.bytes_max = (uint64_t)o->spool_max << 20,
			.age_max = o->spool_age}};
	memory_keep_little();
	name_memory_init(&w->names);
	o->session.windows = (struct session_windows){.every = o->every,
		.offset = offset_of(o->every),
		.take = take,
		.arg = w,
		.files = &w->files};
	int ret = spool_open(&w->spool, &err);

	if (!ret && o->push)
		ret = push_begin(&w->push, o->push, o->spool, &err);

	program_say_rest(&err);
	return ret;
}

int windows_end(struct windows *w, struct recording *rec, const struct open_files *files)
{
	user_use_capabilities(false);
	/* no window of another recorder may begin in the same second */
	while ((uint64_t)realtime_ms() / 1000 == recording_started(rec) / 1000000000)
		usleep(10000);
	int ret = keep(w, rec, files);

	if (w->spool.nr_dropped)
		program_say("%" PRIu64 " samples of dropped windows are in no account",
			w->spool.nr_dropped);
	if (!push_end(&w->push) && !ret) {
		program_say("windows remain in '%s': bt-fleet send %s %s", w->spool.folder,
			w->options->push, w->spool.folder);
		return EXIT_PARTIAL;
	}
	return ret ? EXIT_FAILED : EXIT_OK;
}

void windows_release(struct windows *w)
{
	name_memory_release(&w->names);
	spool_close(&w->spool);
	trouble_release(&w->trouble);
}
