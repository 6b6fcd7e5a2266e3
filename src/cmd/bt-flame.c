/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "view/args.h"
#include "lib/program.h"
#include "lib/util.h"

#include <string.h>

struct options {
	struct view_args args;
	struct flame_options flame;
};

enum { OPT_TITLE = 256, OPT_SUBTITLE, OPT_WIDTH, OPT_INVERTED };
enum { WIDTH_MIN = 100, WIDTH_MAX = 100000 };

static const struct argp_option table[] = {
	{"title", OPT_TITLE, "TEXT", 0, "Heading, in place of the one in the input", 1},
	{"subtitle", OPT_SUBTITLE, "TEXT", 0, "Second line", 1},
	{"width", OPT_WIDTH, "PX", 0,
		"Width where no script runs; in a browser the window's is used (1200)", 1},
	{"inverted", OPT_INVERTED, NULL, 0, "Root on top (icicle)", 1},
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
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->args;
		break;
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
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static const struct argp argp = {
	.options = table,
	.parser = parse_option,
	.args_doc = "[FILE...]",
	.doc = "Draws the call tree of profiles (recordings, folded stacks, backtraces of stap "
	       "scripts; "
	       "default: stdin) as an interactive flame graph, one SVG file on stdout.",
	.children = (const struct argp_child[]){{.argp = &tree_args_argp}, {0}},
};

static int draw(struct options *o)
{
	struct profile p;
	int status = EXIT_FAILED;
	int part;

	profile_init(&p);
	part = view_args_read(&o->args, &p);
	if (part < 0)
		goto out;
	view_flame(&p, &o->flame, stdout, NULL);
	if (program_close(stdout, "stdout") < 0)
		goto out;
	status = view_args_status(&o->args, &p, part);
out:
	profile_release(&p);
	return status;
}

int main(int argc, char **argv)
{
	struct options o = {.args = VIEW_ARGS_INIT};

	program_init();
	argp_parse(&argp, argc, argv, 0, NULL, &o);
	return draw(&o);
}
