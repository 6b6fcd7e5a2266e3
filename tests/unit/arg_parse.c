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

static void add(const struct arg_option *option, const char *arg, void *to)
{
	int *sum = to;

	if (arg && option->letter == 'n')
		*sum += atoi(arg);
}

static const struct arg_option part_options[] = {
	{"number", 'n', "N", "", 1, .set = add},
	{.name = "count", .letter = 'c'},
	{"title", 0, NULL, "hidden by the row of this name before it", 1, .set = add},
	{0},
};
static const struct arg_table part = {.options = part_options};

static const struct arg_option options[] = {
	{.help = "Heading:", .group = 1},
	{"title", 0, "TEXT", "", 1, .set = add},
	{"colour", 'g', "WHEN", "", 1, .set = add, .is_optional = true},
	{"key", 'k', "KEY", "", 1, .set = add, .once = "use commas"},
	{"colours", 'G', NULL, "", 1, .set = add},
	{0},
};

static void take_words(void *input, const struct arg_words *words)
{
	(void)input;
	(void)words;
}

static const struct arg_table table = {
	.options = options,
	.take_words = take_words,
	.parts = (const struct arg_part[]){{&part, 0}, {0}},
};

/* Parses WORDS, separated by blanks, in a process whose stderr is copied to OUT; returns its exit
 * code. */
static int run(const char *words, char *out, size_t size)
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

		dup2(ends[1], STDOUT_FILENO);
		arg_parse(&table, argc, argv, &sum);
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

	assert_int_equal(run(words, out, sizeof(out)), EXIT_USAGE_ERROR);
	assert_string_equal(out, expected);
	free(expected);
}

/* SUM is the sum of the numbers. */
static void accepted(const char *words, int sum)
{
	char out[512];

	assert_int_equal(run(words, out, sizeof(out)), sum);
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
	refused("-k a --title x --key b", "--key: given twice; use commas");
	refused("--colours=a", "option '--colours' doesn't allow an argument");
}

static void arg_parse__accepts(void **state)
{
	char out[4096];

	(void)state;
	accepted("-n 1 --number=2 --count 4 -c8 a -G -gn --colour --colour=x -Gn 16", 31);
	accepted("--title --titel -n 1 -- --xyzzy -n 2", 1);
	assert_int_equal(run("-h --xyzzy", out, sizeof(out)), EXIT_OK);
	assert_non_null(strstr(out, " Heading:"));
	accepted("- -n 1", 1);
	accepted("-k a -- -k b", 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arg_parse__refuses),
		cmocka_unit_test(arg_parse__accepts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
