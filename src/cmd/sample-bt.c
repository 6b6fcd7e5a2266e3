/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sample-bt: records backtraces of running programs and writes them as recordings, flame graphs,
 * tables and text.
 */
#include "check/preflight.h"
#include "lib/folder.h"
#include "lib/program.h"
#include "lib/strbuf.h"
#include "lib/user.h"
#include "lib/util.h"
#include "record/finish.h"
#include "record/live.h"
#include "record/options.h"
#include "record/windows.h"
#include "symbol/elf/elffile.h"
#include "symbol/fetch/debuginfod.h"
#include "symbol/open_files.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

/* Saves the engine's messages to a file in the user's cache directory, and prints its path. */
static void keep_log(const char *log)
{
	char *folder = folder_cache(), *path = xasprintf("%s/engine.log", folder);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
	FILE *out = fd < 0 ? NULL : fdopen(fd, "w");
	bool written = out && fputs(log, out) >= 0;

	if (out && !fclose(out) && written)
		program_say("all messages of the engine are in '%s'", path);
	else
		program_say("cannot write the engine's messages to '%s'; use -v to see them", path);
	free(path);
	free(folder);
}

/* The engines that may be able to record this, in the order in which they are tried. */
struct engines {
	const struct engine_ops *list[ENGINES_MAX];
	size_t nr;
};

/* Prints why a recording may have failed to start: what is missing, or else what is degraded. */
static void print_checks(const struct checks *checks, bool several)
{
	enum check_state state = checks_fit(checks) ? CHECK_DEGRADED : CHECK_MISSING;

	for (size_t i = 0; i < checks->nr; i++) {
		const struct check *c = &checks->list[i];

		if (c->state == state)
			program_say("%s%s%s: %s%s%s", several ? checks->by : "",
				several ? ": " : "", c->name, c->what, c->remedy ? "; " : "",
				c->remedy ? c->remedy : "");
	}
}

/* Explains the engines that lack least: root is nearer than kernel headers and a compiler. */
static void explain_failure(const struct options *o, const struct engines *e)
{
	struct strbuf err = STRBUF_INIT;
	struct checks checks[ENGINES_MAX];
	size_t least = SIZE_MAX;

	for (size_t i = 0; i < e->nr; i++) {
		preflight(e->list[i], &o->session.request, &checks[i]);
		if (checks_missing(&checks[i]) < least)
			least = checks_missing(&checks[i]);
	}
	for (size_t i = 0; i < e->nr; i++) {
		if (checks_missing(&checks[i]) == least)
			print_checks(&checks[i], e->nr > 1);
		checks_release(&checks[i]);
	}
	if (!user_drop_privileges(&err) && *o->session.log)
		keep_log(o->session.log);
	program_say_rest(&err);
}

static int run_check(const struct options *o, struct engines *e)
{
	struct checks checks[ENGINES_MAX];

	/* the first engine that fits would record */
	if (e->nr == 2 && preflight_follows_command(&o->session.request))
		*e = (struct engines){.list = {e->list[1], e->list[0]}, .nr = 2};
	for (size_t i = 0; i < e->nr; i++)
		preflight(e->list[i], &o->session.request, &checks[i]);
	(o->json ? checks_json : checks_text)(checks, e->nr, stdout);
	int ret = checks_first_fit(checks, e->nr) ? EXIT_OK : EXIT_FAILED;

	for (size_t i = 0; i < e->nr; i++)
		checks_release(&checks[i]);
	return program_close(stdout, "stdout") ? EXIT_FAILED : ret;
}

/* Drops the privileges that only recording needs. */
static int drop_privileges(const struct options *o, struct strbuf *err)
{
	if (o->symbol.debuginfod != DEBUGINFOD_NEVER)
		debuginfod_has_servers(); /* caches the servers of sudo's caller */
	return user_drop_privileges(err);
}

/*
 * Runs the session, and shows it if that is wanted. Returns the same as session_run(), or -1 if it
 * cannot be shown.
 */
static int run_session(struct options *o, struct recording *rec, struct open_files *files,
	struct strbuf *notes, struct strbuf *err)
{
	struct live live;

	if (!o->live)
		return session_run(&o->session, rec, files, notes, err);
	if (live_start(&live, o, err))
		return -1;
	int result = session_run(&o->session, rec, files, notes, err);
	bool stay = result >= 0 && o->session.ended_by_itself;

	return live_end(&live, rec, stay) ? -1 : result;
}

/* Names, judges and writes what was recorded. Returns the exit code. */
static int finish(struct options *o, int result, struct recording *rec, struct open_files *files)
{
	if (o->title)
		recording_set_meta(rec, "heading", o->title);
	bool writes = !o->live || o->nr_outputs || o->report;
	int ret = writes ? finish_recording(o, rec, files) : EXIT_OK;

	if (result > 0 && ret == EXIT_OK)
		ret = EXIT_PARTIAL;
	return ret != EXIT_FAILED && o->session.exit_code > 0 ? o->session.exit_code : ret;
}

/*
 * Records with one engine. Returns true if it did not start, so that the next engine can be tried.
 */
static bool record(struct options *o, struct windows *windows, int *ret)
{
	struct strbuf notes = STRBUF_INIT, err = STRBUF_INIT;
	struct open_files files = {0};
	struct recording rec;

	*ret = EXIT_FAILED;
	recording_init(&rec);
	int result = run_session(o, &rec, &files, &notes, &err);

	if (!o->quiet)
		program_say_lines(&notes);
	program_say_lines(&err);
	strbuf_reset(&err);
	if (result < 0) {
		/* err was printed */
	} else if (o->session.describe || o->session.request.compile_only) {
		*ret = program_close(stdout, "stdout") ? EXIT_FAILED : EXIT_OK;
	} else if (o->every) {
		*ret = windows_end(windows, &rec, &files);
	} else if (drop_privileges(o, &err)) {
		program_say_lines(&err);
	} else {
		*ret = finish(o, result, &rec, &files);
	}
	strbuf_release(&notes);
	strbuf_release(&err);
	recording_release(&rec);
	open_files_release(&files);
	return result < 0 && o->session.log;
}

/*
 * Returns the index of the engine to try first. WHY is the reason, which is printed when it
 * records.
 */
static size_t choose_engine(const struct options *o, const struct engines *e, struct strbuf *why)
{
	if (strcmp(o->engine, "auto") || o->session.describe)
		return 0;
	return preflight_choose(e->list, e->nr, &o->session.request, why);
}

/* Whether to say which engine records. Without SystemTap, there is only one. */
static bool announces(const struct options *o)
{
	return !o->quiet && (o->session.request.verbose || preflight_has_stap());
}

static int record_with(struct options *o, const struct engines *e)
{
	struct strbuf why = STRBUF_INIT;
	struct windows windows = {0};
	int ret = EXIT_FAILED;
	size_t first = choose_engine(o, e, &why);

	if (o->every && windows_begin(&windows, o))
		return EXIT_FAILED;
	for (size_t i = first; i < e->nr; i++) {
		o->session.announcement = i == first && why.len && announces(o) ? why.buf : NULL;
		o->session.ops = e->list[i];
		user_use_capabilities(o->session.ops == &bpf_engine && !o->session.describe);
		if (!record(o, &windows, &ret))
			break;
		if (i + 1 == e->nr)
			explain_failure(o, e);
		else
			program_say("continuing with the built-in engine");
		free(o->session.log);
		o->session.log = NULL;
	}
	if (o->every)
		windows_release(&windows);
	strbuf_release(&why);
	return ret;
}

/* Lists the scripts, and on stderr those that cannot be used. */
static int list_scripts(void)
{
	struct strbuf out = STRBUF_INIT, err = STRBUF_INIT;
	int ret = EXIT_OK;

	tools_describe(&out, &err);
	fwrite(out.buf, 1, out.len, stdout);
	if (err.len)
		ret = EXIT_PARTIAL;
	program_say_rest(&err);
	strbuf_release(&out);
	return program_close(stdout, "stdout") ? EXIT_FAILED : ret;
}

static int run(struct options *o)
{
	struct engines e;

	if (o->scripts)
		return list_scripts();

	e.nr = engines_find(o->engine, &o->session.request, e.list);
	return o->check ? run_check(o, &e) : record_with(o, &e);
}

int main(int argc, char **argv)
{
	struct options o;

	program_init();
	elffile_use_heads_only();
	user_use_capabilities(false);
	options_parse(&o, argc, argv);
	finish_check_outputs(&o);
	user_use_capabilities(!o.session.describe);
	int ret = run(&o);

	options_release(&o);
	return program_end(ret);
}
