/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "view/view.h"
#include "lib/lines.h"
#include "lib/program.h"
#include "lib/strbuf.h"
#include "lib/util.h"

#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

struct options {
	bool bt;
	struct recording_view view;
	struct symbol_options symbol;
	const char *file;
};

enum { OPT_BT = 256, OPT_COMM, OPT_THREADS, OPT_DEMANGLE, OPT_ROOT };

static const struct argp_option table[] = {
	{"bt", OPT_BT, NULL, 0, "Backtraces as stap scripts print them, heaviest first", 1},
	{"comm", OPT_COMM, NULL, 0, "With --bt: the program's name is the root frame", 1},
	{"threads", OPT_THREADS, NULL, 0, "With --bt: name and thread are the root frame", 1},
	{"demangle", OPT_DEMANGLE, "HOW", 0,
		"C++ and Rust names: short (without arguments; default), full, none", 1},
	{"root", OPT_ROOT, "DIR", 0, "Where the recorded files are found (/)", 1},
	{0},
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case OPT_BT:
		o->bt = true;
		break;
	case OPT_COMM:
		o->view.comm = true;
		break;
	case OPT_THREADS:
		o->view.threads = true;
		break;
	case OPT_DEMANGLE:
		if (!strcmp(arg, "short"))
			o->symbol.demangle = DEMANGLE_SHORT;
		else if (!strcmp(arg, "full"))
			o->symbol.demangle = DEMANGLE_FULL;
		else if (!strcmp(arg, "none"))
			o->symbol.demangle = DEMANGLE_NONE;
		else
			argp_error(state, "--demangle takes short, full or none, not '%s'", arg);
		break;
	case OPT_ROOT:
		o->symbol.root = arg;
		break;
	case ARGP_KEY_ARG:
		if (o->file)
			argp_error(state, "one recording at a time, not '%s' as well", arg);
		o->file = arg;
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static const struct argp argp = {
	table,
	parse_option,
	"[FILE]",
	"Gives the addresses in a recording (default: stdin) their names, from the files on this "
	"machine, "
	"and writes the recording with them on stdout.\v"
	"Exit status: 0 all of it; 1 the recording is not complete, or no samples; 2 failed; 64 "
	"wrong "
	"usage.",
	NULL,
	NULL,
	NULL,
};

static int read_recording(const struct options *o, struct recording *rec)
{
	const char *path = o->file && strcmp(o->file, "-") ? o->file : NULL;
	int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
	struct strbuf err = STRBUF_INIT;
	struct lines lines;
	int ret;

	if (fd < 0) {
		program_say("cannot open '%s': %s", path, strerror(errno));
		return -1;
	}
	lines_init(&lines, fd);
	ret = recording_read(rec, &lines, &err);
	if (ret < 0)
		program_say("'%s': %s", path ? path : "stdin", err.buf);
	lines_release(&lines);
	strbuf_release(&err);
	if (path)
		close(fd);
	return ret;
}

static void resolve(const struct options *o, struct recording *rec)
{
	struct strbuf notes = STRBUF_INIT;

	symbol_resolve(rec, &o->symbol, &notes);
	program_say_lines(&notes);
	strbuf_release(&notes);
}

static void say_account(const struct account *account, const struct recording *rec)
{
	struct strbuf line = STRBUF_INIT;
	const char *unit = rec->nr_events ? recording_get(rec, rec->events[0].unit) : "samples";

	account_line(account, unit, &line);
	program_say("%s", line.buf);
	strbuf_release(&line);
}

static int run(const struct options *o)
{
	struct account account;
	struct recording rec;
	bool complete;
	int status = EXIT_FAILED;

	recording_init(&rec);
	if (read_recording(o, &rec) < 0)
		goto out;
	complete = rec.complete && !rec.unknown && !recording_meta(&rec, "incomplete");
	if (!rec.complete) { /* what is written ends as it should, so it has to say so itself */
		program_say("the recording is not complete: its end is missing");
		recording_add_meta(&rec, "incomplete", "yes");
	}
	if (rec.unknown)
		program_say("records of a later version left out: %" PRIu64, rec.unknown);
	resolve(o, &rec);
	if (o->bt)
		view_bt(&rec, &o->view, stdout, NULL);
	else
		recording_write(&rec, stdout, NULL);
	if (program_close(stdout, "stdout") < 0)
		goto out;
	recording_account(&rec, &account);
	say_account(&account, &rec);
	if (!account.kept)
		program_say("no samples");
	status = complete && account.kept ? EXIT_OK : EXIT_PARTIAL;
out:
	recording_release(&rec);
	return status;
}

int main(int argc, char **argv)
{
	struct options o = {.view.event = -1};

	program_init();
	argp_parse(&argp, argc, argv, 0, NULL, &o);
	return run(&o);
}
