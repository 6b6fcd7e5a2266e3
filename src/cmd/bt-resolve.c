/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "view/args.h"
#include "lib/lines.h"
#include "lib/program.h"
#include "lib/strbuf.h"
#include "lib/util.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

struct options {
	struct view_args args;
	bool bt;
};

enum { OPT_BT = 256 };

static const struct argp_option table[] = {
	{"bt", OPT_BT, NULL, 0,
		"Backtraces as stap scripts print them, heaviest first; these are what --comm "
		"and --threads are for",
		1},
	{0},
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	(void)arg;
	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->args;
		break;
	case OPT_BT:
		o->bt = true;
		break;
	case ARGP_KEY_SUCCESS:
		if (o->args.nr_files > 1)
			argp_error(state, "one recording at a time, not '%s' as well",
				o->args.files[1]);
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static const struct argp argp = {
	.options = table,
	.parser = parse_option,
	.args_doc = "[FILE]",
	.doc = "Gives the addresses in a recording (default: stdin) their names, from the "
	       "files on this machine, and writes the recording with them on stdout.",
	.children = (const struct argp_child[]){{.argp = &view_args_argp}, {0}},
};

static int read_recording(const struct options *o, struct recording *rec)
{
	const char *file = o->args.nr_files ? o->args.files[0] : "-";
	const char *path = strcmp(file, "-") ? file : NULL;
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

static int run(const struct options *o)
{
	const struct recording_view *view = &o->args.input.view;
	struct strbuf notes = STRBUF_INIT;
	struct account account;
	struct recording rec;
	int status = EXIT_FAILED;

	recording_init(&rec);
	if (read_recording(o, &rec) < 0)
		goto out;

	bool part = recording_is_part(&rec, &notes);
	uint32_t event = recording_viewed_event(&rec, view);

	if (!rec.complete && !recording_meta(&rec, "incomplete")) /* its end will not tell */
		recording_add_meta(&rec, "incomplete", "yes");
	symbol_resolve(&rec, &o->args.input.symbol, &notes);
	program_say_lines(&notes);
	if (o->bt)
		view_bt(&rec, view, stdout, NULL);
	else
		recording_write(&rec, stdout, NULL);
	if (program_close(stdout, "stdout") < 0)
		goto out;
	recording_account(&rec, view, &account);
	status = view_args_status(&account,
		event < rec.nr_events ? recording_get(&rec, rec.events[event].unit) : "samples",
		part);
out:
	strbuf_release(&notes);
	recording_release(&rec);
	return status;
}

int main(int argc, char **argv)
{
	struct options o = {.args = VIEW_ARGS_INIT};

	program_init();
	argp_parse(&argp, argc, argv, 0, NULL, &o);
	return run(&o);
}
