/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "module.h"
#include "answer.h"
#include "lib/util.h"
#include "symbol/dwarf/debuginfo.h"
#include "symbol/elf/debugfile.h"
#include "symbol/elf/elffile_internal.h"
#include "symbol/elf/symtab.h"
#include "wanted.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What was found of a module's files. */
struct sources {
	struct module *module;
	struct elffile *elf, *debug, *alt;
	struct symtab *symtab;
	struct debuginfo *debuginfo;
	/* of a kernel or its module, as linked: all of its code that a recording can tell of */
	uint64_t text, text_size;
	struct answer answer;
	struct strbuf name;
};

static struct debug_places places_of(const struct module *m)
{
	return (struct debug_places){.root = m->options->root, .path = m->options->debug_path};
}

static void explain(struct sources *s, enum symbol_gap gap, const char *detail)
{
	struct answer_head *head = &s->answer.head;

	head->gap = gap;
	strncpy(head->detail, detail, sizeof(head->detail) - 1);
}

static bool is_vdso(const struct module *m)
{
	return !strcmp(m->path, "[vdso]");
}

static bool is_kernel(const struct module *m)
{
	return m->path[0] == '[' && !is_vdso(m);
}

/* The path is its name in brackets. */
static bool is_kernel_module(const struct module *m)
{
	return is_kernel(m) && strcmp(m->path, "[kernel]") != 0;
}

/* The file itself, when it is the one that was recorded. */
static struct elffile *open_mapped(struct sources *s)
{
	const struct module *m = s->module;
	struct elffile *elf;

	if (m->open || is_kernel(m))
		return m->open;
	if (!is_vdso(m) && m->fd < 0) {
		explain(s, m->error == ENOENT || m->error == ENOTDIR ? GAP_GONE : GAP_UNREADABLE,
			strerror(m->error));
		return NULL;
	}
	elf = is_vdso(m) ? elffile_open_vdso() : elffile_open_fd(m->fd, NULL);
	if (!elf) {
		explain(s, is_vdso(m) ? GAP_OTHER : GAP_NOT_ELF, "");
	} else if (*m->build_id ? strcmp(elffile_build_id(elf), m->build_id) != 0 : is_vdso(m)) {
		explain(s, GAP_OTHER, elffile_build_id(elf));
		s->answer.head.replaced = 1;
		strncpy(s->answer.head.other, elffile_build_id(elf),
			sizeof(s->answer.head.other) - 1);
		elffile_close(elf);
		elf = NULL;
	}
	return elf;
}

static bool has_section(const struct elffile *elf, const char *name)
{
	GElf_Shdr shdr;

	return elf && elffile_section(elffile_elf(elf), name, &shdr);
}

static bool has_debuginfo(const struct elffile *elf)
{
	return has_section(elf, ".debug_info") || has_section(elf, ".zdebug_info");
}

static struct elffile *open_debug_fd(const struct module *m)
{
	if (m->debug_fd < 0)
		return NULL;
	return is_kernel_module(m) ? debugfile_open_module_checked(m->debug_fd, m->build_id)
				   : debugfile_open_checked(m->debug_fd, m->build_id);
}

static struct elffile *open_debug_kernel(const struct module *m, const struct debug_places *where)
{
	char *name = xstrndup(m->path + 1, strcspn(m->path + 1, "]"));
	struct elffile *debug = debugfile_open_kernel(
		m->build_id, m->release, is_kernel_module(m) ? name : NULL, where);

	free(name);
	return debug;
}

static struct elffile *open_debug(struct sources *s)
{
	const struct module *m = s->module;
	struct debug_places where = places_of(m);
	struct elffile *debug = open_debug_fd(m);

	s->answer.head.rejected = !debug && m->fetched;
	if (!debug && is_kernel(m))
		debug = open_debug_kernel(m, &where);
	else if (!debug && s->elf)
		debug = debugfile_open(s->elf, m->path, &where);
	else if (!debug)
		debug = debugfile_open_alone(m->build_id, m->path, &where);
	return debug;
}

/* What dwz moved out of the debug information IN; when that is nowhere, the answer asks for it. */
static struct elffile *open_alt(struct sources *s, const struct elffile *in)
{
	struct debug_places where = places_of(s->module);
	char *id = debugfile_alt_id(in);
	struct elffile *alt = NULL;

	if (id && s->module->alt_fd >= 0)
		alt = debugfile_open_alt_checked(s->module->alt_fd, id);
	if (id && !alt)
		alt = debugfile_open_alt(in, &where);
	if (id && !alt)
		strncpy(s->answer.head.alt, id, sizeof(s->answer.head.alt) - 1);
	free(id);
	return alt;
}

static void open_debuginfo(struct sources *s)
{
	const struct elffile *in = has_debuginfo(s->debug) ? s->debug : s->elf;

	if (!has_debuginfo(in))
		return;
	s->alt = open_alt(s, in);
	s->debuginfo = debuginfo_new(in, s->alt);
}

/* Where the code is that the recording's addresses are counted from. */
static bool find_text(struct sources *s)
{
	GElf_Shdr shdr;

	if (!is_kernel_module(s->module)) {
		s->text_size = UINT64_MAX;
		return elffile_symbol(s->debug, "_stext", &s->text);
	}
	if (!elffile_section(elffile_elf(s->debug), ".text", &shdr))
		return false;
	s->text = shdr.sh_addr;
	s->text_size = shdr.sh_size;
	return true;
}

/* Of a kernel its debug file alone is here, and nothing but lines and inlined calls are wanted. */
static void open_kernel(struct sources *s)
{
	s->debug = open_debug(s);
	if (!s->debug)
		explain(s, GAP_STRIPPED, "");
	else if (find_text(s))
		open_debuginfo(s);
	s->answer.head.source = SOURCE_OWN;
	s->answer.head.has_debuginfo = s->debuginfo != NULL;
}

static void open_sources(struct sources *s)
{
	struct module *m = s->module;
	bool wants_debuginfo = wanted_debuginfo(m->options);

	if (is_kernel(m)) {
		open_kernel(s);
		return;
	}
	s->elf = open_mapped(s);
	if (!has_section(s->elf, ".symtab") || m->fetched ||
		(wants_debuginfo && !has_debuginfo(s->elf)))
		s->debug = open_debug(s);
	if (!s->elf && !s->debug)
		return;
	s->symtab = symtab_new(s->elf, s->debug, &m->store);
	s->answer.head.source = symtab_source(s->symtab);
	if (s->answer.head.source == SOURCE_DEBUG && m->fetched)
		s->answer.head.source = SOURCE_SERVER;
	if (s->answer.head.source <= SOURCE_DYNSYM)
		explain(s, GAP_STRIPPED, "");
	else
		explain(s, GAP_NONE, "");
	if (wants_debuginfo)
		open_debuginfo(s);
	s->answer.head.has_debuginfo = s->debuginfo != NULL;
}

static bool link_address(
	const struct sources *s, const struct module_place *place, uint64_t *address)
{
	if (s->elf && elffile_address(s->elf, place->offset, address))
		return true;
	if (is_kernel(s->module)) {
		*address = s->text + place->offset;
		return place->offset < s->text_size;
	}
	*address = place->link;
	return place->has_link || (s->debug && elffile_address(s->debug, place->offset, address));
}

/* An address on its way to its names. */
struct sought {
	uint64_t address;
	uint32_t place;
};

static int compare_sought(const void *a, const void *b)
{
	const struct sought *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return (x->place > y->place) - (x->place < y->place);
}

static const char *hit_name(struct sources *s, const struct symtab_hit *hit)
{
	strbuf_reset(&s->name);
	strbuf_add(&s->name, hit->name, hit->name_len);
	if (hit->plt)
		strbuf_adds(&s->name, "@plt");
	return s->name.buf;
}

/* What debuginfo_find said of the addresses, by their number. */
struct chains {
	struct sources *s;
	const struct sought *list;
	bool *taken;
};

/*
 * The names of one frame: inlined calls from the debug information, the function itself as the
 * symbols have it. A kernel's functions are known already: assembly, of which nothing but lines is
 * told, gets those.
 */
static void add_names(struct sources *s, const struct sought *sought,
	const struct debuginfo_frame *frames, size_t nr)
{
	const struct debuginfo_frame none = {0}, *last = nr ? &frames[nr - 1] : &none;
	const char *function = last->function;
	struct symtab_hit hit = {.start = sought->address};

	if (s->symtab && symtab_find(s->symtab, sought->address, &hit))
		function = hit_name(s, &hit);
	if ((!function || !*function) && nr && is_kernel(s->module))
		function = "[unknown]";
	if (!function || !*function)
		return;
	answer_begin(&s->answer, sought->place);
	for (size_t i = 0; i + 1 < nr; i++)
		answer_add(&s->answer,
			frames[i].function && *frames[i].function ? frames[i].function
								  : "[unknown]",
			0, frames[i].file, frames[i].line);
	answer_add(&s->answer, function, sought->address - hit.start, last->file, last->line);
}

static void take_chain(void *arg, size_t i, const struct debuginfo_frame *frames, size_t nr)
{
	struct chains *c = arg;

	c->taken[i] = true;
	add_names(c->s, &c->list[i], frames, nr);
}

static void find_names(struct sources *s, const struct sought *list, size_t nr)
{
	struct chains chains = {.s = s, .list = list, .taken = xcalloc(nr, sizeof(bool))};
	uint64_t *addresses = xcalloc(nr, sizeof(*addresses));

	for (size_t i = 0; i < nr; i++)
		addresses[i] = list[i].address;
	if (s->debuginfo)
		debuginfo_find(s->debuginfo, addresses, nr, s->module->options->inlines, take_chain,
			&chains);
	for (size_t i = 0; i < nr; i++)
		if (!chains.taken[i])
			add_names(s, &list[i], NULL, 0);
	free(chains.taken);
	free(addresses);
}

static void name_places(struct sources *s)
{
	const struct module *m = s->module;
	struct sought *list = xcalloc(m->nr_places, sizeof(*list));
	size_t nr = 0;

	for (size_t i = 0; i < m->nr_places; i++)
		if (link_address(s, &m->places[i], &list[nr].address))
			list[nr++].place = (uint32_t)i;
	if (nr)
		qsort(list, nr, sizeof(*list), compare_sought);
	find_names(s, list, nr);
	free(list);
}

static int open_plain(const char *path)
{
	/* a recorded path may lead to a pipe or a device by now: those must not be waited for */
	return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

void module_prepare(void *arg)
{
	struct module *m = arg;
	struct debug_places where = places_of(m);
	char *full = xasprintf("%s%s", where.root ? where.root : "", m->path);

	m->fd = m->open || m->path[0] != '/' ? -1 : open_plain(full);
	m->error = m->fd < 0 ? errno : 0;
	m->debug_fd =
		m->fetched ? open_plain(m->fetched) : debugfile_open_by_id(m->build_id, &where);
	m->alt_fd = m->fetched_alt ? open_plain(m->fetched_alt) : -1;
	symstore_prepare(&m->store, m->build_id);
	free(full);
}

void module_finish(void *arg, bool done)
{
	struct module *m = arg;
	const int files[] = {m->fd, m->debug_fd, m->alt_fd};

	if (done)
		symstore_keep(
			&m->store, m->build_id, m->open ? elffile_fd(m->open) : m->fd, m->debug_fd);
	symstore_release(&m->store);
	for (size_t i = 0; i < ARRAY_LEN(files); i++)
		if (files[i] >= 0)
			close(files[i]);
}

void module_work(void *arg, struct strbuf *answer)
{
	struct sources s = {.module = arg, .name = STRBUF_INIT};

	answer_init(&s.answer);
	open_sources(&s);
	if (s.symtab || s.debuginfo)
		name_places(&s);
	answer_write(&s.answer, answer);
	debuginfo_free(s.debuginfo);
	symtab_free(s.symtab);
	elffile_close(s.alt);
	elffile_close(s.debug);
	if (s.elf != s.module->open)
		elffile_close(s.elf);
	answer_release(&s.answer);
	strbuf_release(&s.name);
}
