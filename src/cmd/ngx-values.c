/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "label/nginx/nginx_values.h"
#include "nginx/nginx_workers.h"
#include "lib/argv.h"
#include "lib/program.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "view/args/arg_value.h"
#include "view/args/process_args.h"

#include <stdio.h>

struct values_command {
	uint32_t pid;
	bool staprun;
	struct nginx_workers workers;
	struct nginx_values values;
};

static const struct arg_option options[] = {
	{"staprun", 0, NULL, "Write arguments of staprun instead", 0, arg_flag,
		ARG_AT(struct values_command, staprun)},
	{0},
};

static const struct arg_table program = {
	.options = options,
	.words = PROCESS_ARGS_WORDS,
	.about = "Writes where the workers of a running nginx have their requests, as options of "
		 "stap, for scripts that use tapsets/nginx. The processes are not stopped.\v"
		 "Exit status: 0 done; 2 failed; 64 wrong usage.",
	.parts = (const struct arg_part[]){{&process_args, offsetof(struct values_command, pid)},
		{0}},
};

/*
 * With longer strings, the code that stap generates compiles only without the handling of errors. A
 * string has a NUL at its end.
 */
enum { STRINGS = 2000 };
static const char strings[] = "-DMAXSTRINGLEN=2000",
		  long_strings[] = "-DMAXSTRINGLEN=4096 --suppress-handler-errors";

static int print(const struct values_command *c)
{
	const struct nginx_values *v = &c->values;
	struct argv argv = {0};

	if (!c->staprun)
		printf("%s -DMAXACTION=1000000 -DMAXACTION_INTERRUPTIBLE=1000000 ",
			nginx_values_longest(v) < STRINGS ? strings : long_strings);
	nginx_values_give(v, c->staprun ? "" : "-G", &argv);
	nginx_values_give_handlers(v, c->staprun ? "" : "-G", STRINGS - 1, &argv);
	for (size_t i = 0; i < argv.nr; i++)
		printf("%s%s", i ? " " : "", argv.words[i]);
	putchar('\n');
	argv_release(&argv);
	return program_close(stdout, "stdout") ? EXIT_FAILED : EXIT_OK;
}

static int print_values(struct values_command *c, struct strbuf *err)
{
	if (nginx_workers_open(&c->workers, c->pid, NULL, 0, err))
		return EXIT_FAILED;
	for (size_t i = 0; i < c->workers.nr; i++) {
		const struct nginx_worker *w = &c->workers.list[i];

		if (nginx_values_add(&c->values, w->pid, &w->target, &w->layout, err))
			return EXIT_FAILED;
	}
	return print(c);
}

int main(int argc, char **argv)
{
	struct values_command c = {.values = NGINX_VALUES_INIT};
	struct strbuf err = STRBUF_INIT;
	int ret;

	program_init();
	arg_parse(&program, argc, argv, &c);
	ret = print_values(&c, &err);
	program_say_rest(&err);
	nginx_values_release(&c.values);
	nginx_workers_close(&c.workers);
	return program_end(ret);
}
