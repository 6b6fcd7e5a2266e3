/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "nginx_filters.h"
#include "lib/table.h"
#include "lib/util.h"
#include "label/nginx/nginx_find.h"
#include "symbol/elf/elffacts.h"

#include <stdlib.h>
#include <string.h>

enum {
	POSTCONFIGURATION = 8, /* offset in ngx_http_module_t */
	DEPTH_MAX = 3,         /* of nested calls from postconfiguration */
	CALLED_MAX = 64,
	CHAIN_MAX = 256,
};

static const struct {
	const char *name, *first; /* first is a variable with the first filter */
	const char *last;         /* module of the last filter */
} chains[NGINX_CHAINS] = {
	{"header_filter", "ngx_http_top_header_filter", "ngx_http_header_filter_module"},
	{"body_filter", "ngx_http_top_body_filter", "ngx_http_write_filter_module"},
	{"request_body_filter", "ngx_http_top_request_body_filter", "ngx_http_core_module"},
};

/* The modules that install functions. */
struct owners {
	const struct nginx_modules *modules;
	const struct nginx_functions *functions;
	uint64_t first[NGINX_CHAINS]; /* addresses of the variables */
	struct table by_function;     /* function -> index of its module + 1, or SEVERAL */
};

enum { SEVERAL = UINT32_MAX };

const char *nginx_chain_name(enum nginx_chain_kind kind)
{
	return chains[kind].name;
}

/* ---- which module installs what ---- */

static void own(struct owners *o, uint64_t function, size_t module)
{
	bool is_new;
	uint32_t *owner = table_put(&o->by_function, function, 0, &is_new);

	*owner = is_new || *owner == module + 1 ? (uint32_t)module + 1 : SEVERAL;
}

/*
 * Returns the function whose address the reference R takes, directly or from a word that is not a
 * variable, or 0 if there is none.
 */
static uint64_t taken_function(const struct owners *o, const struct code_reference *r)
{
	uint64_t function = r->address;

	if (r->kind == CODE_LOADS &&
		(nginx_functions_is_variable(o->functions, NULL, r->address) ||
			!memory_pointer(&o->functions->target->memory, r->address, &function)))
		return 0;
	return nginx_functions_is(o->functions, function) ? function : 0;
}

/*
 * Returns whether FUNCTION, which MODULE's function CALLER calls, is MODULE's function, too. All
 * functions of a module's own file are; in nginx's file the functions near the known functions of
 * the module are.
 */
static bool is_of_module(const struct owners *o, uint64_t caller, uint64_t function, size_t module)
{
	const struct function_file *file = nginx_functions_file(o->functions, function);
	uint64_t core = o->modules->list[0].address; /* variables of nginx itself */

	if (!file || file != nginx_functions_file(o->functions, caller))
		return false;
	return !nginx_functions_is_variable(o->functions, file, core) ||
	       nginx_modules_find(o->modules, function) == &o->modules->list[module];
}

struct call {
	uint64_t function;
	unsigned depth;
};

static bool is_called(const struct call *calls, size_t nr, uint64_t function)
{
	for (size_t i = 0; i < nr; i++)
		if (calls[i].function == function)
			return true;
	return false;
}

/*
 * Records the functions whose addresses MODULE's function FIRST takes, and the functions of MODULE
 * that it calls.
 */
static void follow(struct owners *o, uint64_t first, size_t module)
{
	struct call calls[CALLED_MAX] = {{first, 0}};
	size_t nr = 1;

	for (size_t i = 0; i < nr; i++) {
		size_t nr_references;
		struct code_reference *list =
			nginx_functions_references(o->functions, calls[i].function, &nr_references);

		for (size_t k = 0; k < nr_references; k++) {
			uint64_t to = list[k].address;

			if (list[k].kind != CODE_GOES) {
				to = taken_function(o, &list[k]);
				if (to)
					own(o, to, module);
				continue;
			}
			if (calls[i].depth == DEPTH_MAX || nr == CALLED_MAX)
				continue;
			to = nginx_functions_behind_plt(o->functions, to);
			if (nginx_functions_is(o->functions, to) && !is_called(calls, nr, to) &&
				is_of_module(o, first, to, module))
				calls[nr++] = (struct call){to, calls[i].depth + 1};
		}
		free(list);
	}
}

static void find_owners(struct owners *o)
{
	for (size_t i = 0; i < o->modules->nr; i++) {
		const struct nginx_module *m = &o->modules->list[i];
		uint64_t function;

		if (m->type == NGINX_MODULE_HTTP && m->ctx &&
			memory_pointer(&o->functions->target->memory, m->ctx + POSTCONFIGURATION,
				&function) &&
			nginx_functions_is(o->functions, function))
			follow(o, function, i);
	}
}

/* Returns the module that installs FUNCTION, or NULL if it is not known or there are several. */
static const struct nginx_module *owner_of(const struct owners *o, uint64_t function)
{
	const uint32_t *owner = table_get(&o->by_function, function, 0);

	return owner && *owner != SEVERAL ? &o->modules->list[*owner - 1] : NULL;
}

/* ---- chains ---- */

static bool is_first(const struct owners *o, uint64_t variable)
{
	for (int i = 0; i < NGINX_CHAINS; i++)
		if (o->first[i] == variable)
			return true;
	return false;
}

/*
 * Returns the next filter if the reference R, in the code of a filter in FILE, loads it from a
 * variable of FILE, or from a variable that FILE's GOT points to. Otherwise returns 0.
 */
static uint64_t next_by(
	const struct owners *o, const struct function_file *file, const struct code_reference *r)
{
	const struct memory *m = &o->functions->target->memory;
	uint64_t variable = r->address, function;

	if (r->kind != CODE_LOADS || (variable & 7))
		return 0;
	if (!nginx_functions_is_variable(o->functions, file, variable) &&
		(!memory_pointer(m, variable, &variable) ||
			!nginx_functions_is_variable(o->functions, NULL, variable)))
		return 0;
	if (is_first(o, variable) || !memory_pointer(m, variable, &function) ||
		!table_get(&o->by_function, function, 0))
		return 0;
	return function;
}

/* Returns the filter that follows FUNCTION, or 0 if there is none or several are possible. */
static uint64_t next_filter(const struct owners *o, uint64_t function)
{
	const struct function_file *file = nginx_functions_file(o->functions, function);
	uint64_t next = 0;
	size_t nr;
	struct code_reference *list = nginx_functions_references(o->functions, function, &nr);
	bool is_one = true;

	for (size_t i = 0; i < nr; i++) {
		uint64_t to = next_by(o, file, &list[i]);

		is_one &= !to || !next || to == next;
		next = to ? to : next;
	}
	free(list);
	return is_one ? next : 0;
}

static bool has_filter(const struct nginx_chain *c, uint64_t function)
{
	for (size_t i = 0; i < c->nr; i++)
		if (c->list[i].function == function)
			return true;
	return false;
}

static void read_chain(const struct owners *o, enum nginx_chain_kind kind, struct nginx_chain *c)
{
	const struct nginx_module *module = NULL;
	uint64_t function = 0;
	size_t alloc = 0;

	if (o->first[kind])
		memory_pointer(&o->functions->target->memory, o->first[kind], &function);
	while (function && c->nr < CHAIN_MAX && !has_filter(c, function)) {
		module = owner_of(o, function);
		ALLOC_GROW(c->list, c->nr, alloc);
		c->list[c->nr++] = (struct nginx_filter){function, module};
		function = next_filter(o, function);
	}
	c->is_whole = !function && module && !strcmp(module->name, chains[kind].last);
}

void nginx_filters_read(
	struct nginx_filters *filters, const struct nginx_modules *modules, const struct target *t)
{
	const struct target_file *file = nginx_file(t);
	struct elf_question questions[NGINX_CHAINS];
	struct owners o = {.modules = modules, .functions = &filters->functions};

	*filters = (struct nginx_filters){
		.handlers = xcalloc(modules->nr_handlers + 1, sizeof(*filters->handlers))};
	if (!file || !modules->nr)
		return;
	for (int i = 0; i < NGINX_CHAINS; i++)
		questions[i] =
			(struct elf_question){file->elf, FACT_VARIABLE, chains[i].first, 0, NULL};
	elffacts_ask(questions, NGINX_CHAINS);
	for (int i = 0; i < NGINX_CHAINS; i++)
		o.first[i] = target_symbol(file, chains[i].first);
	nginx_functions_init(&filters->functions, t);
	table_init(&o.by_function);
	find_owners(&o);
	for (int i = 0; i < NGINX_CHAINS; i++)
		read_chain(&o, i, &filters->chain[i]);
	for (size_t i = 0; i < modules->nr_handlers; i++)
		filters->handlers[i] = owner_of(&o, modules->handlers[i].handler);
	table_release(&o.by_function);
}

void nginx_filters_release(struct nginx_filters *filters)
{
	for (int i = 0; i < NGINX_CHAINS; i++)
		free(filters->chain[i].list);
	free(filters->handlers);
	nginx_functions_release(&filters->functions);
	*filters = (struct nginx_filters){0};
}
