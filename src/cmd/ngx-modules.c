/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "nginx/nginx_filters.h"
#include "label/nginx/nginx_find.h"
#include "nginx/nginx_workers.h"
#include "lib/format/grid.h"
#include "lib/program.h"
#include "lib/strbuf.h"
#include "lib/terminal.h"
#include "lib/util.h"
#include "view/args/process_args.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct modules_command {
	uint32_t pid;
	enum grid_format format;
	struct nginx_workers workers;
	struct nginx_modules modules;
	struct nginx_filters filters;
	bool partial;
};

static const struct arg_table program = {
	.words = PROCESS_ARGS_WORDS,
	.about = "Lists the phase handlers and the filters of a running nginx, in the order in "
		 "which "
		 "they run. The process is not stopped.\v"
		 "Exit status: 0 all are known; 1 some are not; 2 failed; 64 wrong usage.",
	.parts = (const struct arg_part[]){{&process_args, offsetof(struct modules_command, pid)},
		{&grid_args, offsetof(struct modules_command, format)}, {0}},
};

static const char *const columns[] = {"runs", "module", "function"};

/* Adds a row. FUNCTION, an address, is shown as an offset in its file. */
static void add_row(struct modules_command *c, struct grid *list, const char *runs,
	const struct nginx_module *module, uint64_t function)
{
	const struct function_file *f = nginx_functions_file(&c->filters.functions, function);

	grid_adds(list, runs);
	grid_adds(list, module ? module->name : "unknown");
	c->partial |= !module;
	if (!f) {
		grid_add_empty(list);
		return;
	}
	char *text = xasprintf("%s+%#" PRIx64, file_name(f->file->path), function - f->file->bias);

	grid_adds(list, text);
	free(text);
}

/*
 * A phase without handlers of modules is handled by its checker, which is a function of the core.
 */
static void add_handlers(struct modules_command *c, struct grid *list)
{
	const struct nginx_modules *m = &c->modules;
	const struct nginx_module *core = NULL;

	for (size_t i = 0; i < m->nr; i++)
		if (!strcmp(m->list[i].name, nginx_symbol))
			core = &m->list[i];
	for (size_t i = 0; i < m->nr_handlers; i++) {
		const struct nginx_phase_handler *h = &m->handlers[i];

		add_row(c, list, nginx_phase_name(m, i), h->handler ? c->filters.handlers[i] : core,
			h->handler ? h->handler : h->checker);
	}
}

static void add_chain(struct modules_command *c, struct grid *list, enum nginx_chain_kind kind)
{
	const struct nginx_chain *chain = &c->filters.chain[kind];

	for (size_t i = 0; i < chain->nr; i++)
		add_row(c, list, nginx_chain_name(kind), chain->list[i].module,
			chain->list[i].function);
	if (chain->is_whole)
		return;
	c->partial = true;
	grid_adds(list, nginx_chain_name(kind));
	grid_adds(list, "unknown");
	grid_add_empty(list);
	program_say("the %s chain is known up to filter %zu only: its code does not go on to a "
		    "function that a module installs",
		nginx_chain_name(kind), chain->nr);
}

static int print(struct modules_command *c)
{
	struct strbuf out = STRBUF_INIT;
	struct grid list;

	grid_init(&list, columns, ARRAY_LEN(columns));
	add_handlers(c, &list);
	for (int i = 0; i < NGINX_CHAINS; i++)
		add_chain(c, &list, i);
	list.width_max = terminal_columns(stdout, 0);
	grid_write(&list, c->format, &out);
	if (c->format == GRID_JSON)
		strbuf_addch(&out, '\n');
	strbuf_flush(&out, stdout);
	strbuf_release(&out);
	grid_release(&list);
	if (program_close(stdout, "stdout"))
		return EXIT_FAILED;
	return c->partial ? EXIT_PARTIAL : EXIT_OK;
}

static int list_modules(struct modules_command *c, struct strbuf *err)
{
	const struct nginx_worker *w;

	if (nginx_workers_open(&c->workers, c->pid, NULL, 0, err))
		return EXIT_FAILED;
	w = &c->workers.list[0];
	if (!nginx_modules_read(&w->layout, &w->target, &c->modules)) {
		nginx_modules_refuse(w->pid, err);
		return EXIT_FAILED;
	}
	nginx_filters_read(&c->filters, &c->modules, &w->target);
	return print(c);
}

int main(int argc, char **argv)
{
	struct modules_command c = {0};
	struct strbuf err = STRBUF_INIT;
	int ret;

	program_init();
	arg_parse(&program, argc, argv, &c);
	ret = list_modules(&c, &err);
	program_say_rest(&err);
	nginx_filters_release(&c.filters);
	nginx_modules_release(&c.modules);
	nginx_workers_close(&c.workers);
	return program_end(ret);
}
