/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "nginx_modules.h"
#include "lib/util.h"
#include "nginx_find.h"
#include "symbol/elf/elffacts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
	CYCLE_BYTES = 0x300,
	MODULES_MAX = 1024,
	NAME_MAX_BYTES = 64,
	HANDLERS_MAX = 256,
};

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

/* Returns the file that has the code at ADDRESS, or NULL if none has. */
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

/* Returns the name at ADDRESS, or NULL if there is none or it is too long for a name. */
static char *read_name(const struct memory *m, uint64_t address)
{
	char name[NAME_MAX_BYTES + 1];
	int len = memory_string(m, address, name, sizeof(name));

	return len > 0 && len < NAME_MAX_BYTES ? xstrdup(name) : NULL;
}

/*
 * Returns the list of pointers to modules, or 0 if it is not found. It is the member of the cycle
 * that points to a pointer to ngx_core_module.
 */
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

static bool read_words(void *context, uint64_t address, void *to, size_t len)
{
	const struct target *t = context;

	return memory_read(&t->memory, address, to, len);
}

static bool is_function(void *context, uint64_t address)
{
	return file_of_code(context, address);
}

static void add_module(
	const struct target *t, struct nginx_modules *modules, size_t *alloc, uint64_t address)
{
	const struct nginx_reader reader = {read_words, is_function, (void *)(uintptr_t)t};
	uint64_t word[NGINX_MODULE_WORDS];
	char *name;

	if (!memory_read(&t->memory, address, word, sizeof(word)))
		return;
	name = read_name(&t->memory, word[NGINX_MODULE_NAME]);
	if (!name)
		return;
	ALLOC_GROW(modules->list, modules->nr, *alloc);
	modules->list[modules->nr] = (struct nginx_module){address, name,
		word[NGINX_MODULE_CTX_INDEX], word[NGINX_MODULE_TYPE], word[NGINX_MODULE_CTX]};
	nginx_code_add(&modules->code, &reader, word, (uint32_t)modules->nr++);
}

/* ---- phases ---- */

/* Returns the phase of the handler CHECKER, which follows a handler of phase LAST. */
static enum nginx_phase phase_of(
	const struct target_file *file, uint64_t checker, enum nginx_phase last)
{
	size_t by = 0;

	while (by < ARRAY_LEN(checkers) && target_symbol(file, checkers[by]) != checker)
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

/* Returns the main configuration of module INDEX, or 0 if there is none. */
static uint64_t main_conf(const struct target *t, const struct target_file *file,
	const struct nginx_layout *l, uint32_t index)
{
	uint64_t http = target_symbol(file, "ngx_http_module"), word, conf;

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
		/* a word of 0 follows the last handler */
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
	uint64_t list, module;
	size_t alloc = 0;

	*modules = (struct nginx_modules){0};
	if (!file)
		return false;
	ask_files(t, file);
	list = find_list(&t->memory, l->cycle, target_symbol(file, first_module));
	for (size_t i = 0; list && i < MODULES_MAX; i++) {
		if (!memory_pointer(&t->memory, list + 8 * i, &module) || !module)
			break;
		add_module(t, modules, &alloc, module);
	}
	nginx_code_sort(&modules->code);
	read_phases(t, file, l, modules);
	return modules->nr;
}

int nginx_modules_refuse(uint32_t pid, struct strbuf *err)
{
	return fail(err,
		"cannot read the list of modules of nginx in process %" PRIu32
		": the process has just ended, or it reloads its configuration (try again), or it "
		"is a variant of nginx that is not supported",
		pid);
}

void nginx_modules_release(struct nginx_modules *modules)
{
	for (size_t i = 0; i < modules->nr; i++)
		free(modules->list[i].name);
	free(modules->list);
	nginx_code_release(&modules->code);
	free(modules->handlers);
	*modules = (struct nginx_modules){0};
}

const struct nginx_module *nginx_modules_find(const struct nginx_modules *modules, uint64_t address)
{
	const struct nginx_function *next, *f = nginx_code_find(&modules->code, address, &next);

	return f ? &modules->list[f->module] : NULL;
}

const char *nginx_phase_name(const struct nginx_modules *modules, uint64_t phase)
{
	if (phase == NGINX_HEAD)
		return "head";
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
