/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Command lines that are rejected with a message of one line. */
#include "view/args/arg_parse.h"
#include "lib/util.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static const struct argp_option child_table[] = {
	{"number", 'n', "N", 0, "", 1},
	{"count", 'c', NULL, OPTION_ALIAS, NULL, 1},
	{0},
};

static error_t parse_child(int key, char *arg, struct argp_state *state)
{
	int *sum = state->input;

	if (key != 'n' && key != 'c')
		return ARGP_ERR_UNKNOWN;
	*sum += atoi(arg);
	return 0;
}

static const struct argp child = {.options = child_table, .parser = parse_child};

static const struct argp_option table[] = {
	{NULL, 0, NULL, 0, "Heading:", 1},
	{"title", 0x100, "TEXT", 0, "", 1},
	{"colour", 'g', "WHEN", OPTION_ARG_OPTIONAL, "", 1},
	{"colours", 'G', NULL, 0, "", 1},
	{NULL, 'h', NULL, OPTION_HIDDEN, NULL, 1},
	{0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	(void)arg;
	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = state->input;
		return 0;
	case ARGP_KEY_ARG:
	case 0x100:
	case 'g':
	case 'G':
		return 0;
	case 'h':
		exit(EXIT_OK);
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = table,
	.parser = parse,
	.children = (const struct argp_child[]){{.argp = &child}, {0}},
};

/* Parses WORDS, separated by blanks, in a process whose stderr is copied to OUT; returns its exit
 * code. */
static int run(const char *words, unsigned flags, char *out, size_t size)
{
	char *copy = xasprintf("program %s", words), *argv[16] = {0};
	int argc = 0, sum = 0, status, ends[2];
	size_t len = 0;
	ssize_t n;

	for (char *s = strtok(copy, " "); s; s = strtok(NULL, " "))
		argv[argc++] = s;
	assert_int_equal(pipe(ends), 0);
	pid_t pid = fork();

	if (!pid) {
		dup2(ends[1], STDERR_FILENO);
		arg_parse(&argp, argc, argv, flags, &sum);
		_exit(sum);
	}
	close(ends[1]);
	while ((n = read(ends[0], out + len, size - 1 - len)) > 0)
		len += (size_t)n;
	out[len] = '\0';
	close(ends[0]);
	free(copy);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void refused(const char *words, const char *message)
{
	char out[512], *expected = xasprintf("arg_parse: %s\n", message);

	assert_int_equal(run(words, 0, out, sizeof(out)), EXIT_USAGE_ERROR);
	assert_string_equal(out, expected);
	free(expected);
}

/* SUM is the sum of the numbers. */
static void accepted(const char *words, unsigned flags, int sum)
{
	char out[512];

	assert_int_equal(run(words, flags, out, sizeof(out)), sum);
	assert_string_equal(out, "");
}

static void arg_parse__refuses(void **state)
{
	(void)state;
	refused("--titel=a", "unrecognized option '--titel': did you mean --title?");
	refused("--color", "unrecognized option '--color': did you mean --colour?");
	refused("file --verson", "unrecognized option '--verson': did you mean --version?");
	refused("--coount", "unrecognized option '--coount': did you mean --count?");
	refused("--xyzzy", "unrecognized option '--xyzzy'; try --help");
	refused("-title a", "unrecognized option '-title': did you mean --title?");
	refused("-Gx", "unrecognized option '-x'; try --help");
	refused("--co", "option '--co' is ambiguous: --colour, --colours, --count");
	refused("--title", "option '--title' requires an argument");
	refused("--count", "option '--count' requires an argument");
	refused("-Gn", "option '-n' requires an argument");
	refused("--colours=a", "option '--colours' doesn't allow an argument");
}

static void arg_parse__accepts(void **state)
{
	(void)state;
	accepted("-n 1 --number=2 --count 4 -c8 a -G -gn --colour --colour=x -Gn 16", 0, 31);
	accepted("--title --titel -n 1 -- --xyzzy -n 2", 0, 1);
	accepted("-h --xyzzy", 0, 0);
	accepted("- -n 1", 0, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arg_parse__refuses),
		cmocka_unit_test(arg_parse__accepts),
	};

	argp_err_exit_status = EXIT_USAGE_ERROR;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
