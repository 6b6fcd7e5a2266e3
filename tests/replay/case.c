/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "case.h"
#include "words.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "runtime/lua/lua_walk.h"
#include "runtime/php/php_walk.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH = 2048, NAME_SIZE = 256 };

/* ---- memory ---- */

void case_init(struct case_state *s)
{
	*s = (struct case_state){0};
	table_init(&s->at);
}

void case_release(struct case_state *s)
{
	for (size_t i = 0; i < s->nr_files; i++)
		free(s->files[i].path);
	for (size_t i = 0; i < s->nr_facts; i++)
		free(s->facts[i].name);
	table_release(&s->at);
	free(s->words);
	free(s->zeros);
	free(s->areas);
	free(s->files);
	free(s->facts);
}

struct case_word *case_put(struct case_state *s, uint64_t address, bool *is_new)
{
	uint32_t *at = table_put(&s->at, address, 0, is_new);

	if (!*is_new)
		return &s->words[*at];
	*at = (uint32_t)s->nr_words;
	ALLOC_GROW(s->words, s->nr_words, s->alloc_words);
	s->words[s->nr_words] = (struct case_word){.address = address};
	return &s->words[s->nr_words++];
}

const struct case_word *case_get(const struct case_state *s, uint64_t address)
{
	const uint32_t *at = table_get(&s->at, address, 0);

	return at ? &s->words[*at] : NULL;
}

bool case_is_zero(const struct case_state *s, uint64_t address)
{
	for (size_t i = 0; i < s->nr_zeros; i++)
		if (address >= s->zeros[i].start && address < s->zeros[i].end)
			return true;
	return false;
}

/* ---- lines ---- */

static bool area_line(
	const char *line, struct memory_area **list, size_t *nr, size_t *alloc, const char *format)
{
	struct memory_area area;

	if (sscanf(line, format, &area.start, &area.end) != 2)
		return false;
	ALLOC_GROW(*list, *nr, *alloc);
	(*list)[(*nr)++] = area;
	return true;
}

static bool file_line(struct case_state *s, const char *line)
{
	char path[NAME_SIZE];
	uint64_t bias;

	if (sscanf(line, "file %255s %" SCNx64, path, &bias) != 2)
		return false;
	ALLOC_GROW(s->files, s->nr_files, s->alloc_files);
	s->files[s->nr_files++] = (struct case_file){xstrdup(path), bias};
	return true;
}

/* "KIND FILE NAME VALUE…", "KIND - NAME". */
static bool fact_line(struct case_state *s, const char *line)
{
	static const char *const kinds[] = {"variable", "thread", "section"};
	char kind[16], file[8], name[NAME_SIZE];
	struct case_fact f = {0};
	unsigned more;
	int n = sscanf(line, "%15s %7s %255s %" SCNx64 " %" SCNx64 " %x", kind, file, name,
		&f.variable.address, &f.variable.size, &more);

	while ((size_t)f.kind < ARRAY_LEN(kinds) && strcmp(kind, kinds[f.kind]))
		f.kind++;
	if (n < 3 || f.kind == ARRAY_LEN(kinds))
		return false;
	f.file = *file == '-' ? -1 : atoi(file);
	if (f.file >= (int)s->nr_files || (f.file >= 0 && n < 5))
		return false;
	f.variable.per_thread = n > 5 && more;
	f.value = f.variable.address;
	f.place = (enum elf_thread_place)f.variable.size;
	f.name = xstrdup(name);
	ALLOC_GROW(s->facts, s->nr_facts, s->alloc_facts);
	s->facts[s->nr_facts++] = f;
	return true;
}

bool case_line(struct case_state *s, const char *line)
{
	return words_line(s, line) || file_line(s, line) ||
	       area_line(line, &s->zeros, &s->nr_zeros, &s->alloc_zeros,
		       "zero %" SCNx64 " %" SCNx64) ||
	       area_line(line, &s->areas, &s->nr_areas, &s->alloc_areas,
		       "area %" SCNx64 " %" SCNx64) ||
	       fact_line(s, line);
}

const struct case_fact *case_fact(const struct case_state *s, int kind, int file, const char *name)
{
	for (size_t i = 0; i < s->nr_facts; i++) {
		const struct case_fact *f = &s->facts[i];

		if ((int)f->kind == kind && f->file == file && !strcmp(f->name, name))
			return f;
	}
	return NULL;
}

/* ---- native stacks ---- */

enum { FLAG_WALKED = 1, FLAG_WHOLE = 2, FLAG_LEAF = 4, FLAG_COMPILED = 8 };

#define NATIVE_WORDS(n)                                                                            \
	&(n)->frame, &(n)->pc, &(n)->fp, &(n)->base, &(n)->sp, &(n)->third, &(n)->reg[0],          \
		&(n)->reg[1], &(n)->reg[2], &(n)->reg[3], &(n)->reg[4], &(n)->reg[5],              \
		&(n)->reg[6], &(n)->threads[0], &(n)->threads[1], &(n)->threads[2],                \
		&(n)->threads[3]

bool case_read_native(const char *line, struct vm_native *n)
{
	uint64_t *const words[] = {NATIVE_WORDS(n)};
	char *end;
	uint64_t flags;

	*n = (struct vm_native){0};
	for (size_t i = 0; i < ARRAY_LEN(words); i++, line = end)
		*words[i] = strtoull(line, &end, 16);
	flags = strtoull(line, &end, 16);
	n->walked = flags & FLAG_WALKED;
	n->whole = flags & FLAG_WHOLE;
	n->leaf = flags & FLAG_LEAF;
	n->compiled = flags & FLAG_COMPILED;
	return end != line && !*end;
}

void case_write_native(const struct vm_native *n, FILE *out)
{
	const uint64_t *const words[] = {NATIVE_WORDS(n)};

	fprintf(out, "native");
	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		fprintf(out, " %" PRIx64, *words[i]);
	fprintf(out, " %x\n",
		(n->walked ? FLAG_WALKED : 0U) | (n->whole ? FLAG_WHOLE : 0U) |
			(n->leaf ? FLAG_LEAF : 0U) | (n->compiled ? FLAG_COMPILED : 0U));
}

/* ---- stacks ---- */

void case_escape(const char *text, size_t len, struct strbuf *out)
{
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)text[i];

		if (c <= ' ' || c == '\\' || c == 0x7f)
			strbuf_addf(out, "\\x%02x", c);
		else
			strbuf_addch(out, text[i]);
	}
}

/* Returns the name of the C function at F's address, or NULL if F is not a C function or has no
 * name in the language. */
static const char *code_name(const struct case_walk *w, const struct vm_frame *f)
{
	return w->vm->code_name ? w->vm->code_name(w->layout, f->what & VM_ADDRESS) : NULL;
}

static void add_frame(const struct case_walk *w, const struct vm_frame *f,
	const struct vm_frame *below, struct strbuf *out)
{
	struct strbuf name = STRBUF_INIT, file = STRBUF_INIT;
	static union vm_texts texts;
	uint32_t line;

	const bool is_code = w->vm->code && VM_FRAME_TYPE(f->what) == w->vm->code;
	const char *code = is_code ? code_name(w, f) : NULL;

	if (!is_code)
		w->vm->read_texts(w->layout, w->memory, f, below, &texts);
	if (is_code)
		strbuf_adds(&name, code ? code : "[C]");
	else if (!w->vm->add_name(w->layout, &texts, f->what, &name))
		strbuf_adds(&name, "[no-name]");
	strbuf_addch(out, '\t');
	case_escape(name.buf, name.len, out);
	if (!is_code && w->vm->add_place(&texts, &file, &line)) {
		strbuf_addch(out, ' ');
		case_escape(file.buf, file.len, out);
		strbuf_addf(out, ":%" PRIu32, line);
	}
	strbuf_addch(out, '\n');
	strbuf_release(&name);
	strbuf_release(&file);
}

static void add_operator(const struct case_walk *w, uint16_t op, struct strbuf *out)
{
	const char *name = op ? w->vm->operator_name(w->layout, op - VM_OP(0)) : "-";

	strbuf_addf(out, "\top=%s\n", name ? name : "?");
}

static void add_state(const struct case_walk *w, uint32_t state, struct strbuf *out)
{
	strbuf_addf(out, "\tvmstate=%s\n", state ? w->vm->states[state] : "-");
}

/* A stack is walked with the registers that the BPF programs have, if it needs any. */
static enum vm_end walk(const struct case_walk *w, struct vm_stack *stack)
{
	if (w->vm->kind == VM_LUA)
		return lua_walk(&w->layout->lua, w->memory, w->native, stack);
	if (w->vm->kind == VM_PHP)
		return php_walk(&w->layout->php, w->memory, w->thread, w->native, stack);
	return w->vm->walk(w->layout, w->memory, w->thread, w->sp, stack);
}

enum vm_end case_walk(const struct case_walk *w, bool mixed, struct strbuf *out)
{
	static const char *const ends[VM_ENDS] = {
		"on", "whole", "cut", "not running", "inconsistent"};
	static const struct vm_frame none;
	static struct vm_frame frames[DEPTH];
	struct vm_stack stack = {
		.frames = frames, .max = DEPTH, .mixed = mixed, .with_op = w->with_op};
	enum vm_end end = walk(w, &stack);

	if (w->with_op)
		add_operator(w, stack.op, out);
	if (w->with_state)
		add_state(w, stack.state, out);
	for (size_t i = 0; i < stack.nr && end == VM_WHOLE; i++)
		if (w->vm->splice->is_frame(frames[i].what))
			add_frame(w, &frames[i], i + 1 < stack.nr ? &frames[i + 1] : &none, out);
	if (end != VM_WHOLE)
		strbuf_addf(out, "\t[%s]\n", ends[end]);
	return end;
}
