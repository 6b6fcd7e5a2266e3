/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "nginx_modules.h"
#include "lib/util.h"
#include "nginx_find.h"
#include "symbol/elf/elffacts.h"

#include <stdlib.h>
#include <string.h>

enum {
	CYCLE_BYTES = 0x300,
	MODULES_MAX = 1024,
	NAME_MAX_BYTES = 64,
	/* words of struct ngx_module_s */
	MODULE_WORDS = 25,
	MODULE_NAME = 2,
	MODULE_CTX = 7,
	MODULE_COMMANDS = 8,
	MODULE_TYPE = 9,
	MODULE_CALLS = 10, /* pointers to functions from here on */
	MODULE_CALLS_END = 17,
	/* words of struct ngx_command_s */
	COMMAND_WORDS = 7,
	COMMAND_NAME_LEN = 0,
	COMMAND_SET = 3,
	COMMANDS_MAX = 256,
	CTX_WORDS_MAX = 13,
	HANDLERS_MAX = 256,
};

#define TYPE(a, b, c, d)                                                                           \
	((uint64_t)(a) | (uint64_t)(b) << 8 | (uint64_t)(c) << 16 | (uint64_t)(d) << 24)

static const char first_module[] = "ngx_core_module";

/* The functions that pass a request to the handlers of a phase. */
static const char *const checkers[] = {
	"ngx_http_core_rewrite_phase",
	"ngx_http_core_find_config_phase",
	"ngx_http_core_post_rewrite_phase",
	"ngx_http_core_access_phase",
	"ngx_http_core_post_access_phase",
	"ngx_http_core_content_phase",
};
enum { BY_REWRITE, BY_FIND_CONFIG, BY_POST_REWRITE, BY_ACCESS, BY_POST_ACCESS, BY_CONTENT };

static const char *const phase_names[NGINX_PHASES] = {
	"post_read",
	"server_rewrite",
	"find_config",
	"rewrite",
	"post_rewrite",
	"preaccess",
	"access",
	"post_access",
	"precontent",
	"content",
};

static void ask_files(const struct target *t, const struct target_file *file)
{
	struct elf_question *list = xcalloc(t->nr_files + ARRAY_LEN(checkers) + 1, sizeof(*list));
	size_t nr = 0;

	list[nr++] = (struct elf_question){file->elf, FACT_VARIABLE, first_module, 0, NULL};
	for (size_t i = 0; i < ARRAY_LEN(checkers); i++)
		list[nr++] = (struct elf_question){file->elf, FACT_VARIABLE, checkers[i], 0, NULL};
	for (size_t i = 0; i < t->nr_files; i++)
		list[nr++] = (struct elf_question){t->files[i].elf, FACT_SECTION, ".text", 0, NULL};
	elffacts_ask(list, nr);
	free(list);
}

/* The address of a variable or function; 0: there is none. */
static uint64_t address_of(const struct target_file *file, const char *name)
{
	struct elf_variable at;

	return elffacts_variable(file->elf, name, &at) ? at.address + file->bias : 0;
}

/* The file that has the code at ADDRESS; NULL: none. */
static const struct target_file *file_of_code(const struct target *t, uint64_t address)
{
	for (size_t i = 0; i < t->nr_files; i++) {
		uint64_t at, size;

		if (elffacts_section(t->files[i].elf, ".text", &at, &size) &&
			address - t->files[i].bias - at < size)
			return &t->files[i];
	}
	return NULL;
}

/* ---- modules ---- */

/* Reads the text at ADDRESS; NULL: there is none, or it is longer than names are. */
static char *read_name(const struct memory *m, uint64_t address)
{
	char name[NAME_MAX_BYTES + 1] = "";

	for (size_t i = 0; i < NAME_MAX_BYTES; i++) {
		if (!memory_read(m, address + i, &name[i], 1))
			return NULL;
		if (!name[i])
			return i ? xstrdup(name) : NULL;
	}
	return NULL;
}

/* The list of pointers to modules: that member of the cycle whose first one is ngx_core_module. */
static uint64_t find_list(const struct memory *m, uint64_t cycle_pointer, uint64_t first)
{
	uint64_t word[CYCLE_BYTES / 8], cycle, module;

	if (!memory_pointer(m, cycle_pointer, &cycle) || !cycle ||
		!memory_read(m, cycle, word, sizeof(word)))
		return 0;
	for (size_t i = 0; i < ARRAY_LEN(word); i++)
		if (word[i] && memory_pointer(m, word[i], &module) && module == first)
			return word[i];
	return 0;
}

/* Pointers to functions in the context of modules of TYPE, behind a name in that of some. */
static size_t ctx_words(uint64_t type)
{
	switch (type) {
	case TYPE('H', 'T', 'T', 'P'):
		return 8;
	case TYPE('E', 'V', 'N', 'T'):
		return 13;
	case TYPE('S', 'T', 'R', 'M'):
		return 6;
	case TYPE('M', 'A', 'I', 'L'):
		return 5;
	default:
		return 4;
	}
}

static void add_code(const struct target *t, struct nginx_modules *modules, size_t *alloc,
	uint64_t address, size_t module)
{
	if (!address || !file_of_code(t, address))
		return;
	ALLOC_GROW(modules->code, modules->nr_code, *alloc);
	modules->code[modules->nr_code++] = (struct nginx_code){address, (uint32_t)module};
}

/* Adds the functions that module number NR, of these WORDs, points to. */
static void add_functions(const struct target *t, struct nginx_modules *modules, size_t *alloc,
	const uint64_t *word, size_t nr)
{
	uint64_t ctx[CTX_WORDS_MAX], command[COMMAND_WORDS];
	size_t n = ctx_words(word[MODULE_TYPE]);

	for (size_t i = MODULE_CALLS; i < MODULE_CALLS_END; i++)
		add_code(t, modules, alloc, word[i], nr);
	if (word[MODULE_CTX] && memory_read(&t->memory, word[MODULE_CTX], ctx, n * sizeof(*ctx)))
		for (size_t i = 0; i < n; i++)
			add_code(t, modules, alloc, ctx[i], nr);
	for (size_t i = 0; word[MODULE_COMMANDS] && i < COMMANDS_MAX; i++) {
		if (!memory_read(&t->memory, word[MODULE_COMMANDS] + i * sizeof(command), command,
			    sizeof(command)) ||
			!command[COMMAND_NAME_LEN])
			break;
		add_code(t, modules, alloc, command[COMMAND_SET], nr);
	}
}

static void add_module(const struct target *t, struct nginx_modules *modules, size_t *alloc,
	size_t *code_alloc, uint64_t address)
{
	uint64_t word[MODULE_WORDS];
	char *name;

	if (!memory_read(&t->memory, address, word, sizeof(word)))
		return;
	name = read_name(&t->memory, word[MODULE_NAME]);
	if (!name)
		return;
	ALLOC_GROW(modules->list, modules->nr, *alloc);
	modules->list[modules->nr] =
		(struct nginx_module){address, name, word[0], word[MODULE_TYPE], word[MODULE_CTX]};
	add_functions(t, modules, code_alloc, word, modules->nr++);
}

static int compare_code(const void *a, const void *b)
{
	const struct nginx_code *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return (x->module > y->module) - (x->module < y->module);
}

/* Sorts the functions, and leaves out those that several modules point to. */
static void sort_code(struct nginx_modules *modules)
{
	size_t kept = 0;

	if (modules->nr_code)
		qsort(modules->code, modules->nr_code, sizeof(*modules->code), compare_code);
	for (size_t i = 0, end; i < modules->nr_code; i = end) {
		const struct nginx_code *c = &modules->code[i];
		bool same = true;

		for (end = i; end < modules->nr_code && modules->code[end].address == c->address;
			end++)
			same &= modules->code[end].module == c->module;
		if (same)
			modules->code[kept++] = *c;
	}
	modules->nr_code = kept;
}

/* ---- phases ---- */

/* The phase of the handler CHECKER, which follows one of phase LAST. */
static enum nginx_phase phase_of(
	const struct target_file *file, uint64_t checker, enum nginx_phase last)
{
	size_t by = 0;

	while (by < ARRAY_LEN(checkers) && address_of(file, checkers[by]) != checker)
		by++;
	switch (by) {
	case BY_REWRITE:
		return last < NGINX_FIND_CONFIG ? NGINX_SERVER_REWRITE : NGINX_REWRITE;
	case BY_FIND_CONFIG:
		return NGINX_FIND_CONFIG;
	case BY_POST_REWRITE:
		return NGINX_POST_REWRITE;
	case BY_ACCESS:
		return NGINX_ACCESS;
	case BY_POST_ACCESS:
		return NGINX_POST_ACCESS;
	case BY_CONTENT:
		return NGINX_CONTENT;
	}
	if (last < NGINX_SERVER_REWRITE)
		return NGINX_POST_READ;
	return last < NGINX_ACCESS ? NGINX_PREACCESS : NGINX_PRECONTENT;
}

/* The main configuration of the module INDEX; 0: there is none. */
static uint64_t main_conf(const struct target *t, const struct target_file *file,
	const struct nginx_layout *l, uint32_t index)
{
	uint64_t http = address_of(file, "ngx_http_module"), word, conf;

	/* cycle->conf_ctx[ngx_http_module.index]->main_conf[index] */
	if (!http || !memory_pointer(&t->memory, http + 8, &word) || word > MODULES_MAX ||
		!memory_pointer(&t->memory, l->cycle, &conf) ||
		!memory_pointer(&t->memory, conf, &conf) ||
		!memory_pointer(&t->memory, conf + 8 * word, &conf) || !conf ||
		!memory_pointer(&t->memory, conf, &conf) ||
		!memory_pointer(&t->memory, conf + 8ULL * index, &conf))
		return 0;
	return conf;
}

static void read_phases(const struct target *t, const struct target_file *file,
	const struct nginx_layout *l, struct nginx_modules *modules)
{
	uint64_t conf = main_conf(t, file, l, l->core), at, word[NGINX_PHASE_SIZE / 8];
	enum nginx_phase phase = NGINX_POST_READ;
	size_t alloc = 0;

	if (!conf || !memory_pointer(&t->memory, conf + NGINX_MAIN_CONF_PHASES, &at))
		return;
	for (size_t i = 0; at && i < HANDLERS_MAX; i++) {
		/* behind the last one is a word that is 0 */
		if (!memory_pointer(&t->memory, at + i * NGINX_PHASE_SIZE, word) || !word[0] ||
			!memory_read(&t->memory, at + i * NGINX_PHASE_SIZE, word, sizeof(word)))
			break;
		phase = phase_of(file, word[0], phase);
		ALLOC_GROW(modules->handlers, modules->nr_handlers, alloc);
		modules->handlers[modules->nr_handlers++] =
			(struct nginx_phase_handler){word[0], word[1], word[2], phase};
	}
}

/* ---- all of it ---- */

bool nginx_modules_read(
	const struct nginx_layout *l, const struct target *t, struct nginx_modules *modules)
{
	const struct target_file *file = nginx_file(t);
	size_t alloc = 0, code_alloc = 0;
	uint64_t list, module;

	*modules = (struct nginx_modules){0};
	if (!file)
		return false;
	ask_files(t, file);
	list = find_list(&t->memory, l->cycle, address_of(file, first_module));
	for (size_t i = 0; list && i < MODULES_MAX; i++) {
		if (!memory_pointer(&t->memory, list + 8 * i, &module) || !module)
			break;
		add_module(t, modules, &alloc, &code_alloc, module);
	}
	sort_code(modules);
	read_phases(t, file, l, modules);
	return modules->nr;
}

void nginx_modules_release(struct nginx_modules *modules)
{
	for (size_t i = 0; i < modules->nr; i++)
		free(modules->list[i].name);
	free(modules->list);
	free(modules->code);
	free(modules->handlers);
	*modules = (struct nginx_modules){0};
}

const struct nginx_module *nginx_modules_find(const struct nginx_modules *modules, uint64_t address)
{
	size_t low = 0, high = modules->nr_code;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (modules->code[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? &modules->list[modules->code[low - 1].module] : NULL;
}

const char *nginx_phase_name(const struct nginx_modules *modules, uint64_t phase)
{
	return phase < modules->nr_handlers ? phase_names[modules->handlers[phase].phase] : NULL;
}

const struct nginx_module *nginx_handler(
	const struct nginx_modules *modules, uint64_t phase, uint64_t content_handler)
{
	if (phase >= modules->nr_handlers)
		return NULL;
	const struct nginx_phase_handler *h = &modules->handlers[phase];
	uint64_t address =
		h->phase == NGINX_CONTENT && content_handler ? content_handler : h->handler;

	return address ? nginx_modules_find(modules, address) : NULL;
}
