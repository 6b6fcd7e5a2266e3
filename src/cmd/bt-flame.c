/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "view/view.h"
#include "lib/program.h"
#include "lib/strbuf.h"
#include "lib/util.h"

#include <argp.h>
#include <stdlib.h>
#include <string.h>

struct options {
	struct input_options input;
	struct flame_options flame;
	char **files;
	size_t nr_files;
};

enum {
	OPT_TITLE = 256,
	OPT_SUBTITLE,
	OPT_WIDTH,
	OPT_INVERTED,
	OPT_COMM,
	OPT_THREADS,
	OPT_DEMANGLE,
	OPT_ROOT
};
enum { WIDTH_MIN = 100, WIDTH_MAX = 100000 };

static const struct argp_option table[] = {
	{"title", OPT_TITLE, "TEXT", 0, "Heading, in place of the one in the input", 1},
	{"subtitle", OPT_SUBTITLE, "TEXT", 0, "Second line", 1},
	{"width", OPT_WIDTH, "PX", 0,
		"Width where no script runs; in a browser the window's is used (1200)", 1},
	{"inverted", OPT_INVERTED, NULL, 0, "Root on top (icicle)", 1},
	{"comm", OPT_COMM, NULL, 0, "The program's name is the root frame (recordings)", 2},
	{"threads", OPT_THREADS, NULL, 0, "Name and thread are the root frame (recordings)", 2},
	{"demangle", OPT_DEMANGLE, "HOW", 0,
		"C++ and Rust names: short (without arguments; default), full, none", 2},
	{"root", OPT_ROOT, "DIR", 0, "Where the recorded files are found (/)", 2},
	{0},
};

static unsigned parse_width(const char *arg, struct argp_state *state)
{
	uint64_t width;

	if (!parse_u64(arg, strlen(arg), 10, &width) || width < WIDTH_MIN || width > WIDTH_MAX)
		argp_error(state, "--width takes %d to %d px, not '%s'", WIDTH_MIN, WIDTH_MAX, arg);
	return (unsigned)width;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case OPT_TITLE:
		o->flame.title = arg;
		break;
	case OPT_SUBTITLE:
		o->flame.subtitle = arg;
		break;
	case OPT_WIDTH:
		o->flame.width = parse_width(arg, state);
		break;
	case OPT_INVERTED:
		o->flame.inverted = true;
		break;
	case OPT_COMM:
		o->input.view.comm = true;
		break;
	case OPT_THREADS:
		o->input.view.threads = true;
		break;
	case OPT_DEMANGLE:
		if (!strcmp(arg, "short"))
			o->input.symbol.demangle = DEMANGLE_SHORT;
		else if (!strcmp(arg, "full"))
			o->input.symbol.demangle = DEMANGLE_FULL;
		else if (!strcmp(arg, "none"))
			o->input.symbol.demangle = DEMANGLE_NONE;
		else
			argp_error(state, "--demangle takes short, full or none, not '%s'", arg);
		break;
	case OPT_ROOT:
		o->input.symbol.root = arg;
		break;
	case ARGP_KEY_ARGS:
		o->files = state->argv + state->next;
		o->nr_files = (size_t)(state->argc - state->next);
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static const struct argp argp = {
	table,
	parse_option,
	"[FILE...]",
	"Draws the call tree of profiles (recordings, folded stacks, backtraces of stap scripts; "
	"default: stdin) as an interactive flame graph, one SVG file on stdout.\v"
	"Exit status: 0 all of it; 1 a part of it, or no samples; 2 failed; 64 wrong usage.",
	NULL,
	NULL,
	NULL,
};

/* As input_read for all files together. */
static int read_files(const struct options *o, struct profile *p)
{
	size_t nr = o->nr_files ? o->nr_files : 1;
	struct strbuf err = STRBUF_INIT;
	int result = 0;

	for (size_t i = 0; i < nr && result >= 0; i++) {
		const char *path = o->nr_files ? o->files[i] : "-";
		int one = input_read(p, path, &o->input, &err);

		result = one < 0 ? one : one | result;
	}
	program_say_lines(&err);
	strbuf_release(&err);
	profile_finish(p);
	return result;
}

static int draw(const struct options *o)
{
	struct profile p;
	int status = EXIT_FAILED;
	int part;

	profile_init(&p);
	part = read_files(o, &p);
	if (part < 0)
		goto out;
	view_flame(&p, &o->flame, stdout, NULL);
	if (program_close(stdout, "stdout") < 0)
		goto out;
	if (!p.nodes[0].total)
		program_say("no %s", p.unit);
	status = part || !p.nodes[0].total ? EXIT_PARTIAL : EXIT_OK;
out:
	profile_release(&p);
	return status;
}

int main(int argc, char **argv)
{
	struct options o = {.input.view.event = -1};

	program_init();
	argp_parse(&argp, argc, argv, 0, NULL, &o);
	return draw(&o);
}
