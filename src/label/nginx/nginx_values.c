/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "nginx_values.h"
#include "lib/util.h"
#include "nginx_find.h"
#include "nginx_modules.h"
#include "symbol/elf/elffacts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
	TEXT_MAX = 4095, /* length of a variable: MAXSTRINGLEN of the scripts without the NUL */
	FILES_MAX = 32,
	PROGRAMS_MAX = 63,
	PAGE = 4096,
	RULES_MAX = 64 << 20, /* bytes of a section that are touched */
	NO_NAME = 0xff,       /* number for a module without a name */
};

static const char code_section[] = ".text", rules_section[] = ".eh_frame",
		  table_section[] = ".eh_frame_hdr";

static void release_program(const struct nginx_values_program *p)
{
	free(p->numbers);
	free(p->phases);
	free(p->handlers);
	free(p->code);
	free(p->files);
}

void nginx_values_release(struct nginx_values *v)
{
	for (size_t i = 0; i < v->nr; i++)
		release_program(&v->list[i]);
	free(v->list);
	for (size_t i = 0; i < v->nr_names; i++)
		free(v->names[i]);
	free(v->names);
	strbuf_release(&v->programs);
	strbuf_release(&v->phases);
	strbuf_release(&v->files);
	strbuf_release(&v->processes);
	*v = (struct nginx_values)NGINX_VALUES_INIT;
}

/* ---- a program ---- */

static char *numbers_of(const struct nginx_layout *l)
{
	struct strbuf text = STRBUF_INIT;

#define NUMBER(name) strbuf_addf(&text, "%s%" PRIx64, text.len ? "." : "", (uint64_t)l->name);
	NGINX_NUMBERS(NUMBER)
#undef NUMBER
	for (size_t i = 0; i < NGINX_CODES; i++)
		strbuf_addf(&text, ".%" PRIx64 ".%" PRIx32 ".%" PRIx32, l->code[i].start,
			l->code[i].size, l->code[i].place);
	return strbuf_detach(&text);
}

static char *phases_of(const struct nginx_modules *m)
{
	struct strbuf text = STRBUF_INIT;

	for (size_t i = 0; i < m->nr_handlers; i++)
		strbuf_addf(&text, "%d", m->handlers[i].phase);
	if (!text.len)
		strbuf_addch(&text, '-');
	return strbuf_detach(&text);
}

/*
 * Returns the name of a module in the form for variables: "static" for ngx_http_static_module, and
 * other names whole after a "-". Returns NULL if the name is not allowed in a variable.
 */
static char *short_name(const char *name)
{
	static const char before[] = "ngx_http_", after[] = "_module";
	size_t len = strlen(name), rest = strlen(before) + strlen(after);

	if (!len || len != strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_"))
		return NULL;
	if (len > rest && !strncmp(name, before, strlen(before)) &&
		!strcmp(name + len - strlen(after), after))
		return xstrndup(name + strlen(before), len - rest);
	return xasprintf("-%s", name);
}

/* Returns the number of module M's name, or NO_NAME if M serves no requests or has no number. */
static unsigned name_number(struct nginx_values *v, const struct nginx_module *m)
{
	char *name = m && m->type == NGINX_MODULE_HTTP ? short_name(m->name) : NULL;

	if (!name)
		return NO_NAME;
	for (size_t i = 0; i < v->nr_names; i++)
		if (!strcmp(v->names[i], name)) {
			free(name);
			return (unsigned)i;
		}
	if (v->nr_names == NO_NAME) {
		free(name);
		return NO_NAME;
	}
	ALLOC_GROW(v->names, v->nr_names, v->alloc_names);
	v->names[v->nr_names] = name;
	return (unsigned)v->nr_names++;
}

static char *handlers_of(struct nginx_values *v, const struct nginx_modules *m)
{
	struct strbuf text = STRBUF_INIT;

	for (size_t i = 0; i < m->nr_handlers; i++)
		strbuf_addf(&text, "%02x", name_number(v, nginx_handler(m, i, 0)));
	if (!text.len)
		strbuf_addch(&text, '-');
	return strbuf_detach(&text);
}

/* Returns the addresses at which the code of another module begins, with the module's number. */
static char *code_of(struct nginx_values *v, const struct nginx_modules *m)
{
	struct strbuf text = STRBUF_INIT;
	uint64_t address = 0;
	unsigned last = NO_NAME;

	for (size_t i = 0; i < m->code.nr; i++) {
		const struct nginx_function *f = &m->code.list[i];
		unsigned number = name_number(v, &m->list[f->module]);

		if (number == last)
			continue;
		strbuf_addf(&text, "%s%" PRIx64 "-%x", text.len ? "-" : "", f->address - address,
			number);
		address = f->address;
		last = number;
	}
	if (!text.len)
		strbuf_addch(&text, '-');
	return strbuf_detach(&text);
}

static void ask_files(const struct target *t)
{
	static const char *const names[] = {code_section, rules_section, table_section};
	struct elf_question *list = xcalloc(t->nr_files * ARRAY_LEN(names) + 1, sizeof(*list));
	size_t nr = 0;

	for (size_t i = 0; i < t->nr_files; i++)
		for (size_t k = 0; k < ARRAY_LEN(names); k++)
			list[nr++] = (struct elf_question){
				t->files[i].elf, FACT_SECTION, names[k], 0, NULL};
	elffacts_ask(list, nr);
	free(list);
}

/* Reads a byte of each page, so that the pages are in memory. */
static void touch(const struct memory *m, uint64_t address, uint64_t size)
{
	uint64_t first = address / PAGE * PAGE;
	size_t nr = size < RULES_MAX ? (size_t)((address + size - first + PAGE - 1) / PAGE) : 0;
	uint64_t *pages = xcalloc(nr + 1, sizeof(*pages));
	char *bytes = xmalloc(nr + 1);

	for (size_t i = 0; i < nr; i++)
		pages[i] = first + i * PAGE;
	if (nr)
		memory_scattered(m, pages, nr, 1, bytes);
	free(bytes);
	free(pages);
}

/* Returns the files with unwind rules, or NULL if nginx itself has none or they cannot be read. */
static char *files_of(const struct target *t)
{
	struct strbuf text = STRBUF_INIT;
	bool has_nginx = false;
	size_t nr = 0;

	ask_files(t);
	for (size_t i = 0; i < t->nr_files && nr < FILES_MAX; i++) {
		const struct target_file *f = &t->files[i];
		uint64_t code, code_size, rules, rules_size, table, table_size;

		if (!elffacts_section(f->elf, code_section, &code, &code_size) ||
			!elffacts_section(f->elf, rules_section, &rules, &rules_size) ||
			!elffacts_section(f->elf, table_section, &table, &table_size))
			continue;
		has_nginx |= f == nginx_file(t);
		touch(&t->memory, f->bias + rules, rules_size);
		touch(&t->memory, f->bias + table, table_size);
		strbuf_addf(&text, "%s#.%" PRIx64 ".%" PRIx64 ".%" PRIx64, nr++ ? "." : "",
			f->bias + code, code_size, table - code);
	}
	if (has_nginx)
		return strbuf_detach(&text);
	strbuf_release(&text);
	return NULL;
}

/* ---- all of them ---- */

static bool is_same(const struct nginx_values_program *a, const struct nginx_values_program *b)
{
	return !strcmp(a->numbers, b->numbers) && !strcmp(a->phases, b->phases) &&
	       !strcmp(a->handlers, b->handlers) && !strcmp(a->code, b->code) &&
	       !strcmp(a->files, b->files);
}

static void write_program(struct nginx_values *v, const struct nginx_values_program *p)
{
	strbuf_addf(&v->programs, "%s%s", v->programs.len ? "." : "", p->numbers);
	strbuf_addf(&v->phases, "%s%s", v->phases.len ? "." : "", p->phases);
	if (v->files.len)
		strbuf_addch(&v->files, '.');
	for (const char *c = p->files; *c; c++)
		if (*c == '#')
			strbuf_addf(&v->files, "%zx", v->nr);
		else
			strbuf_addch(&v->files, *c);
}

/* Returns the number, from 1, of the program P, whose texts V takes ownership of. */
static size_t add_program(struct nginx_values *v, const struct nginx_values_program *p)
{
	for (size_t i = 0; i < v->nr; i++)
		if (is_same(&v->list[i], p)) {
			release_program(p);
			return i + 1;
		}
	ALLOC_GROW(v->list, v->nr, v->alloc);
	v->list[v->nr++] = *p;
	write_program(v, p);
	return v->nr;
}

size_t nginx_values_longest(const struct nginx_values *v)
{
	const size_t len[] = {v->programs.len, v->phases.len, v->files.len, v->processes.len};
	size_t longest = 0;

	for (size_t i = 0; i < ARRAY_LEN(len); i++)
		longest = len[i] > longest ? len[i] : longest;
	return longest;
}

struct script_variable {
	const char *name;
	const struct strbuf *text;
};

static void give(
	const struct script_variable *vars, size_t nr, const char *option, struct argv *argv)
{
	for (size_t i = 0; i < nr; i++) {
		if (*option)
			argv_add(argv, xstrdup(option));
		argv_add(argv, xasprintf("nginx_%s=%s", vars[i].name,
				       vars[i].text->len ? vars[i].text->buf : "-"));
	}
}

void nginx_values_give(const struct nginx_values *v, const char *option, struct argv *argv)
{
	const struct script_variable vars[] = {
		{"programs", &v->programs},
		{"phases", &v->phases},
		{"files", &v->files},
		{"processes", &v->processes},
	};

	give(vars, ARRAY_LEN(vars), option, argv);
}

static void add_word(struct strbuf *text, const char *word)
{
	if (text->len)
		strbuf_addch(text, '.');
	strbuf_adds(text, word);
}

void nginx_values_give_handlers(
	const struct nginx_values *v, const char *option, size_t longest, struct argv *argv)
{
	struct strbuf names = STRBUF_INIT, handlers = STRBUF_INIT, code = STRBUF_INIT;
	const struct script_variable vars[] = {
		{"names", &names},
		{"handlers", &handlers},
		{"code", &code},
	};

	for (size_t i = 0; i < v->nr_names; i++)
		add_word(&names, v->names[i]);
	for (size_t i = 0; i < v->nr; i++) {
		add_word(&handlers, v->list[i].handlers);
		add_word(&code, v->list[i].code);
	}
	if (names.len > longest || handlers.len > longest || code.len > longest)
		names.len = handlers.len = code.len = 0;
	give(vars, ARRAY_LEN(vars), option, argv);
	strbuf_release(&names);
	strbuf_release(&handlers);
	strbuf_release(&code);
}

int nginx_values_add(struct nginx_values *v, uint32_t pid, const struct target *t,
	const struct nginx_layout *l, struct strbuf *err)
{
	struct nginx_modules modules = {0};
	struct nginx_values_program program = {.files = files_of(t)};

	if (!program.files)
		return fail(err,
			"the unwind rules of nginx in process %" PRIu32
			" cannot be read: its file has no .eh_frame_hdr, or is gone",
			pid);
	nginx_modules_read(l, t, &modules); /* if it fails, phases have no names */
	program.numbers = numbers_of(l);
	program.phases = phases_of(&modules);
	program.handlers = handlers_of(v, &modules);
	program.code = code_of(v, &modules);
	nginx_modules_release(&modules);
	size_t number = add_program(v, &program);

	strbuf_addf(&v->processes, "%s%" PRIx32 ".%zx.%" PRIx64 ".%" PRIx64 ".%" PRIx64 ".%" PRIx32,
		v->processes.len ? "." : "", pid, number, l->connections, l->read_events,
		l->write_events, l->nr_connections);
	if (v->nr > PROGRAMS_MAX || nginx_values_longest(v) > TEXT_MAX)
		return fail(err,
			"there is no room for process %" PRIu32
			": a script can be given some 80 workers of one master; give the PID of a "
			"worker",
			pid);
	return 0;
}
