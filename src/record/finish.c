/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "finish.h"
#include "input/input.h"
#include "input/notes.h"
#include "lib/limits/memory.h"
#include "lib/program.h"
#include "lib/strbuf.h"
#include "lib/user.h"
#include "lib/util.h"
#include "options.h"
#include "symbol/fetch/debuginfod.h"
#include "symbol/fetch/package.h"
#include "symbol/names/demangle_profile.h"
#include "symbol/quality.h"
#include "view/filter.h"
#include "view/output.h"
#include "view/report/ranges_report.h"
#include "view/skid.h"
#include "view/view.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Checks whether the outputs can be written, for user_check. ARG is a struct options. */
static int check_outputs(const void *arg, struct strbuf *err)
{
	const struct options *o = arg;
	int ret = 0;

	for (size_t i = 0; i < o->nr_outputs; i++)
		ret |= output_check(o->outputs[i], err);
	if (o->report)
		ret |= output_report_check(o->report, err);
	return ret;
}

void finish_check_outputs(const struct options *o)
{
	struct strbuf err = STRBUF_INIT;
	int ret = user_check(check_outputs, o, &err);

	program_say_rest(&err);
	if (ret)
		exit(EXIT_FAILED);
}

/* Saves the recording elsewhere if an output cannot be written. */
static void rescue(const struct output *out)
{
	struct strbuf err = STRBUF_INIT;
	char *path;

	if (!output_rescue(out, &path, &err))
		program_say("the recording is kept in '%s': use bt-flame on it", path);
	program_say_rest(&err);
	free(path);
}

static struct recording *at_risk;

/*
 * Writes the recording when memory is used up. Addresses that are not resolved yet have no names in
 * it.
 */
static void keep_recording(void)
{
	struct recording_view view = {0};

	rescue(&(struct output){.rec = at_risk, .view = &view});
	program_say("out of memory (limit: %" PRIu64
		    " MiB): bt-resolve the recording where there is "
		    "more",
		memory_limit() >> 20);
	exit(EXIT_FAILED);
}

static void write_table(const struct options *o, const struct output *out, struct strbuf *err)
{
	struct report_options report = {.of = REPORT_GROUPS, .form = REPORT_TEXT};

	if (report_keys_parse(&report.keys, o->view.by, err) == 0)
		view_report(out->profile, &report, stdout, err);
	report_keys_release(&report.keys);
}

/*
 * Writes the script's table, the distribution if it was recorded and has any event, or else
 * backtraces.
 */
static void write_stdout(const struct options *o, const struct output *out, struct strbuf *err)
{
	bool is_distr = o->session.request.measure.ranges;

	if (o->table)
		write_table(o, out, err);
	else if (!is_distr || ranges_report(out->profile, o->view.by, GRID_TEXT, stdout))
		output_write(out, OUT_BT, "-", err);
}

static int write_outputs(struct options *o, const struct output *out)
{
	struct strbuf err = STRBUF_INIT;
	bool lost;
	int ret = 0;

	for (size_t i = 0; i < o->nr_outputs; i++) {
		const char *path = o->outputs[i];

		if (output_write(out, (enum output_format)output_format(path), path, &err))
			ret = -1;
		else if (!o->quiet && strcmp(path, "-") && isatty(STDERR_FILENO))
			program_say("wrote '%s'", path);
	}
	if (o->report) {
		char *folder;

		ret |= output_report(out, o->report, &folder, &err);
		if (folder && !ret && !o->quiet)
			program_say("wrote '%s'", folder);
		free(folder);
	}
	if (!o->nr_outputs && !o->report && !o->live) {
		write_stdout(o, out, &err);
		ret = program_close(stdout, "stdout");
	}
	lost = ret && (o->nr_outputs || o->report || errno != EPIPE); /* not if head(1) exited */
	program_say_lines(&err);
	if (lost)
		rescue(out);
	strbuf_release(&err);
	return ret ? -1 : 0;
}

/* Says why there may be no samples. */
static void explain_nothing(const struct options *o)
{
	size_t children = session_children_left_out(&o->session.request);
	struct strbuf more = STRBUF_INIT;

	if (children)
		strbuf_addf(&more, "; --children also records its %zu child process%s", children,
			children == 1 ? "" : "es");
	program_say("no samples: %s%s",
		o->tool.none ? o->tool.none : "the event did not occur in the target", more.buf);
	strbuf_release(&more);
}

/*
 * Prints the account. Returns EXIT_PARTIAL if the recording is empty or if too few frames have
 * names.
 */
static int judge(const struct options *o, const struct recording *rec, const struct profile *p,
	struct account_gap gap)
{
	const struct account *account = &p->account;
	struct strbuf line = STRBUF_INIT;
	int ret = EXIT_OK;

	account_line(account, &p->timing, p->unit, &line);
	strbuf_addch(&line, '\n');
	account_lost_lines(account, p->unit, &line);
	cuts_lines(&p->cuts, account, &line);
	skid_line(p, &line);
	recording_add_interpreters(rec, &o->view, &line);
	if (!o->quiet)
		program_say_lines(&line);
	strbuf_reset(&line);
	if (!account->kept) {
		explain_nothing(o);
		ret = EXIT_PARTIAL;
	} else if (!account_is_named(account, o->min_quality, gap, &line)) {
		ret = EXIT_PARTIAL;
	}
	if (!o->quiet || ret != EXIT_OK)
		program_say_rest(&line);
	return ret;
}

/*
 * Returns what gives MODULE names. A distribution has its debug packages in an archive that few
 * systems use, so its debuginfod server is named, too. The caller frees the text.
 */
static char *remedy_of(const struct quality_module *module, const struct packages *packages)
{
	if (!module->remedy)
		return NULL;
	if (!ends_with(module->remedy, "-dbgsym") || !packages->server || debuginfod_has_servers())
		return xstrdup(module->remedy);
	return xasprintf(
		"%s from the archive of debug packages (man bt-resolve), or set DEBUGINFOD_URLS=%s",
		module->remedy, packages->server);
}

/* Judges the recording, whose names were looked up as REPORT says. */
static int judge_with_names(const struct options *o, const struct recording *rec,
	const struct profile *p, const struct symbol_report *report)
{
	struct account_gap gap = {0};
	struct quality quality = {0};
	char *remedy = NULL;

	if (!account_names_suffice(&p->account, o->min_quality)) {
		const struct packages packages = packages_of(NULL);

		quality_init(&quality, rec, &o->view, report, false);
		const struct quality_module *worst = quality_explain_worst(
			&quality, &o->symbol, &packages, debuginfod_has_servers());

		if (worst)
			gap = (struct account_gap){
				worst->path, remedy = remedy_of(worst, &packages)};
	}
	int ret = judge(o, rec, p, gap);

	quality_release(&quality);
	free(remedy);
	return ret;
}

/* Makes the view show the event of --show. Returns false if there is no such event. */
static bool choose_event(struct options *o, const struct recording *rec)
{
	struct strbuf why = STRBUF_INIT;
	bool found = !input_choose_event(rec, o->show, &o->view, &why);

	if (!found)
		program_say("--show: the recording shows its first event: %.*s", (int)(why.len - 1),
			why.buf);
	strbuf_release(&why);
	return found;
}

int finish_recording(struct options *o, struct recording *rec, const struct open_files *files)
{
	struct input_options input = {.symbol = o->symbol};
	struct symbol_report report = {0};
	struct strbuf notes = STRBUF_INIT;
	struct profile profile, *profiles = &profile;
	bool has_event = choose_event(o, rec);

	recording_leave_out_asleep(rec, &o->view);
	o->view.comm |= recording_has_several_processes(rec, &o->view);
	o->view.times = true;
	input.view = o->view;
	input.symbol.files = files;
	at_risk = rec;
	memory_on_exhaustion(keep_recording);
	profile_init(&profile);
	input_recording(&profile, rec, &input, &report, &notes);
	demangle_profiles(&profiles, 1, o->symbol.demangle);
	filter_apply(&(struct filter){.skid = o->skid}, &profile, &notes);
	profile_finish(&profile);
	if (!o->quiet)
		program_say_lines(&notes);
	int ret = judge_with_names(o, rec, &profile, &report);

	strbuf_reset(&notes);
	if (!has_event || !recording_has_selected(rec, &o->view, &notes))
		ret = EXIT_PARTIAL;
	program_say_lines(&notes);
	if (write_outputs(
		    o, &(struct output){rec, &o->view, o->symbol.demangle, &profile, o->skid}))
		ret = EXIT_FAILED;
	memory_on_exhaustion(NULL);
	profile_release(&profile);
	symbol_report_release(&report);
	strbuf_release(&notes);
	return ret;
}
