/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ruby_find.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "ruby_code.h"
#include "ruby_walk.h"
#include "runtime/thread_variable.h"
#include "runtime/threadkey.h"
#include "symbol/elf/elffacts.h"
#include "runtime/target_facts.h"

#include <stdio.h>
#include <stdlib.h>

static const char current_ec[] = "ruby_current_ec";

/* What differs between versions, but not between builds of one. */
static const struct {
	unsigned version; /* 100 times the major version, and the minor version */
	enum ruby_class_facts facts;
	uint32_t is_singleton;
	struct ruby_shape shape;
} versions[] = {
	{207, RUBY_IN_TABLE, 1 << 12, {56, 120, 176, 8, 16, true, true}},
	{300, RUBY_IN_TABLE, 1 << 12, {56, 120, 176, 8, 16, true, false}},
	{301, RUBY_IN_TABLE, 1 << 12, {64, 120, 176, 12, 16, true, false}},
	{302, RUBY_BY_SHAPES, 1 << 12, {64, 112, 168, 12, 24, false, false}},
	{303, RUBY_MEMBERS, 1 << 12, {56, 112, 168, 12, 24, false, false}},
	{304, RUBY_MEMBERS, 1 << 13, {56, 112, 168, 12, 24, false, false}},
	{400, RUBY_MEMBERS, 1 << 13, {56, 112, 176, 12, 24, false, false}},
};

enum {
	CLASS_FIRST = 16, /* bytes of a class that are searched for its name, and behind the last */
	CLASS_END = 256,
	CLASS_TABLE = 24, /* as in ruby_text.h, like the next three */
	TABLE_LOOK = 6,
	CLASS_VALUES = 32,
	SHAPE_LOOK = 32,
	VM_END = 4096, /* bytes of rb_vm_t that are searched for the shapes */
	PAGE = 4096,
	BASIC_CLASS = 8,  /* struct RBasic */
	THREAD_EC = 32,   /* until 2.7, rb_thread_t */
	SYMBOLS_IDS = 16, /* rb_symbols_t */
};

const struct target_file *ruby_file(const struct target *t)
{
	struct elf_variable unused;

	for (size_t i = 0; i < t->nr_files; i++)
		if (elffacts_variable(t->files[i].elf, RUBY_SYMBOL, &unused))
			return &t->files[i];
	return NULL;
}

/* Reads all facts that will be needed, from all files at once. */
static void ask_files(const struct target *t)
{
	static const char *const names[] = {RUBY_SYMBOL, current_ec, "ruby_global_symbols",
		"rb_errinfo", "rb_sym_immortal_count", "rb_during_gc", "ruby_native_thread_p",
		"rb_cObject", "rb_cString", "rb_cEnumerator", "ruby_current_vm_ptr",
		THREADKEY_SYMBOLS, NULL};

	target_facts_ask(t, names, current_ec);
}

/* A Ruby that is being looked at. */
struct look {
	const struct target *t;
	const struct target_file *file;
	struct ruby_layout *l;
};

/* Reads the code of the exported function NAME. Returns its address, or 0. */
static uint64_t read_code(const struct look *k, const char *name, unsigned char *code)
{
	uint64_t address = target_symbol(k->file, name);

	return address && memory_read(&k->t->memory, address, code, RUBY_CODE_SIZE) ? address : 0;
}

/* Returns the value of the exported variable NAME, or 0. */
static uint64_t value_of(const struct look *k, const char *name)
{
	uint64_t address = target_symbol(k->file, name), value;

	return address && memory_pointer(&k->t->memory, address, &value) ? value : 0;
}

/* ---- version ---- */

static int find_version(const struct look *k, struct strbuf *err)
{
	struct ruby_layout *l = k->l;
	unsigned version;
	char text[16];

	if (memory_string(&k->t->memory, target_symbol(k->file, RUBY_SYMBOL), text, sizeof(text)) <
			0 ||
		sscanf(text, "%u.%u.%u", &l->major, &l->minor, &l->patch) != 3)
		return fail(err, "cannot read the version of ruby in '%s'", k->file->path);
	version = 100 * l->major + l->minor;
	for (size_t i = 0; i < ARRAY_LEN(versions); i++)
		if (version == versions[i].version) {
			l->shape = versions[i].shape;
			l->classes.facts = versions[i].facts;
			l->classes.is_singleton = versions[i].is_singleton;
			return 0;
		}
	return fail(err,
		"ruby %s in '%s' is not one of the known versions, 2.7, 3.0 to 3.4 and 4.0", text,
		k->file->path);
}

/* ---- the execution context of a thread ---- */

/* Finds the variable through a slot that code uses, as files without its symbol have it. */
static bool slot_in_code(const struct look *k, struct pointer_path *path)
{
	unsigned char code[RUBY_CODE_SIZE];
	uint64_t address = read_code(k, "rb_errinfo", code), slot, offset, words[2];

	return address && ruby_code_thread_slot(code, address, &slot, &offset) &&
	       memory_read(&k->t->memory, slot, words, sizeof(words)) &&
	       threadkey_block_path(k->t, words[0], words[1] + offset, path);
}

static bool thread_variable(const struct look *k, struct pointer_path *path)
{
	return thread_variable_path(k->t, k->file, current_ec, path) || slot_in_code(k, path);
}

/* Until 2.7 a thread has its rb_thread_t as data of a key. */
static bool thread_key(const struct look *k, struct pointer_path *path)
{
	unsigned char code[RUBY_CODE_SIZE];
	uint64_t address = read_code(k, "ruby_native_thread_p", code), at;
	uint32_t key;

	if (!address || !ruby_code_number(code, address, &at) ||
		!memory_read(&k->t->memory, at, &key, sizeof(key)) ||
		!threadkey_path(k->t, key, path) || path->nr == PATH_STEPS)
		return false;
	path->step[path->nr++] = THREAD_EC;
	return true;
}

/* Returns whether Ruby is starting: it has not all of its classes, and libraries may be missing. */
static bool is_starting(const struct look *k)
{
	return !value_of(k, "rb_cEnumerator");
}

static int find_thread(const struct look *k, struct strbuf *err)
{
	struct ruby_layout *l = k->l;

	if (l->major < 3 ? thread_key(k, &l->ec) : thread_variable(k, &l->ec))
		return 0;
	if (is_starting(k))
		return 1;
	return fail(err,
		"the threads of ruby %u.%u.%u in '%s' cannot be found: the file has no symbol "
		"'%s', and its code is of an unknown build",
		l->major, l->minor, l->patch, k->file->path, current_ec);
}

/* ---- what runs ---- */

static void find_gc(const struct look *k)
{
	unsigned char code[RUBY_CODE_SIZE];
	uint64_t address = read_code(k, "rb_during_gc", code);
	struct ruby_layout *l = k->l;
	struct ruby_code_gc gc;

	l->gc.nr = 0;
	if (!address || !ruby_code_gc(code, address, &gc))
		return;
	l->gc = gc.indirect ? (struct pointer_path){false, 3, {gc.vm, 0, gc.objspace}}
			    : (struct pointer_path){false, 2, {gc.vm, gc.objspace}};
	l->gc_flags = gc.flags;
	l->during_gc = gc.mask;
}

/* ---- names ---- */

static int find_ids(const struct look *k)
{
	unsigned char code[RUBY_CODE_SIZE];
	uint64_t symbols = target_symbol(k->file, "ruby_global_symbols"), name;
	uint64_t address = symbols ? 0 : read_code(k, "rb_sym_immortal_count", code);

	if (!symbols && (!address || !ruby_code_number(code, address, &symbols)))
		return -1;
	k->l->ids = symbols + SYMBOLS_IDS;
	return ruby_id_name(k->l, &k->t->memory, '+', &name) &&
			       ruby_string_is(k->l, &k->t->memory, name, "+")
		       ? 0
		       : -1;
}

/* A class with a name that is known, and its singleton class. */
struct known_class {
	uint64_t at, singleton;
	const char *name;
};

/* Returns the flags of an object, or 0. */
static uint64_t flags_of(const struct look *k, uint64_t object)
{
	uint64_t flags;

	return memory_pointer(&k->t->memory, object, &flags) ? flags : 0;
}

/* Returns whether the class C has its name, and its singleton class has C, at these offsets. */
static bool has_name(const struct look *k, const struct known_class *c, uint64_t offset)
{
	uint64_t value;

	return memory_pointer(&k->t->memory, c->at + offset, &value) &&
	       ruby_string_is(k->l, &k->t->memory, value, c->name);
}

static bool has_attached(const struct look *k, const struct known_class *c, uint64_t offset)
{
	uint64_t value;

	return memory_pointer(&k->t->memory, c->singleton + offset, &value) && value == c->at;
}

typedef bool has_member(const struct look *k, const struct known_class *c, uint64_t offset);

/* Returns the first offset at which both classes have the member, or 0. */
static uint64_t learn_member(const struct look *k, const struct known_class *c, has_member *has)
{
	for (uint64_t offset = CLASS_FIRST; offset < CLASS_END; offset += sizeof(offset))
		if (has(k, &c[0], offset) && has(k, &c[1], offset))
			return offset;
	return 0;
}

/* Returns the entries of the table of a class's instance variables, or 0. */
static uint64_t entries_of(const struct look *k, uint64_t class)
{
	const struct pointer_path path = {false, 3, {class + CLASS_TABLE, 8, 48}};
	uint64_t at = 0;

	for (uint32_t i = 0; i < path.nr; i++)
		if (!memory_pointer(&k->t->memory, at + path.step[i], &at) || !at)
			return 0;
	return at;
}

/* Returns whether VALUE is the fact about C that a variable is to have. */
static bool is_fact(
	const struct look *k, const struct known_class *c, bool attached, uint64_t value)
{
	return attached ? value == c->at : ruby_string_is(k->l, &k->t->memory, value, c->name);
}

/* Returns the ID of a variable that has the name of C or, in its singleton class, C, or 0. */
static uint64_t learn_variable(const struct look *k, const struct known_class *c, bool attached)
{
	uint64_t at = entries_of(k, attached ? c->singleton : c->at),
		 entry[3]; /* hash, ID, value */

	for (int i = 0; at && i < TABLE_LOOK; i++, at += sizeof(entry)) {
		if (!memory_read(&k->t->memory, at, entry, sizeof(entry)))
			return 0;
		if (is_fact(k, c, attached, entry[2]))
			return entry[1];
	}
	return 0;
}

/* Does the same where variables are found by shapes. */
static uint64_t learn_by_shape(const struct look *k, const struct known_class *c, bool attached)
{
	uint64_t class = attached ? c->singleton : c->at, shape = flags_of(k, class) >> 32;
	const struct memory *m = &k->t->memory;
	uint64_t values, value, entry[4]; /* as in ruby_find_by_shape() */

	if (!memory_pointer(m, class + CLASS_VALUES, &values))
		return 0;
	for (int i = 0; i < SHAPE_LOOK; i++, shape = entry[3] >> 32) {
		uint64_t at = k->l->classes.shapes + shape * sizeof(entry);

		if (!memory_read(m, at, entry, sizeof(entry)))
			return 0;
		at = values + ((uint32_t)entry[2] - 1ULL) * sizeof(value);
		if (memory_pointer(m, at, &value) && is_fact(k, c, attached, value))
			return entry[1];
	}
	return 0;
}

typedef uint64_t learn_id(const struct look *k, const struct known_class *c, bool attached);

/* Learns the IDs of the variables that both classes have. */
static bool learn_variables(const struct look *k, const struct known_class *c, learn_id *learn)
{
	struct ruby_classes *to = &k->l->classes;

	to->name = learn(k, &c[0], false);
	to->attached = to->name ? learn(k, &c[0], true) : 0;
	return to->attached && to->name == learn(k, &c[1], false) &&
	       to->attached == learn(k, &c[1], true);
}

/* Learns where all shapes are, too: Ruby's VM has their address, which begins a page. */
static bool learn_shapes(const struct look *k, const struct known_class *c)
{
	uint64_t vm = value_of(k, "ruby_current_vm_ptr");
	uint64_t *shapes = &k->l->classes.shapes;

	for (uint64_t at = vm; vm && at < vm + VM_END; at += sizeof(at))
		if (memory_pointer(&k->t->memory, at, shapes) && *shapes && !(*shapes % PAGE) &&
			learn_variables(k, c, learn_by_shape))
			return true;
	return false;
}

static bool learn_members(const struct look *k, const struct known_class *c)
{
	struct ruby_classes *to = &k->l->classes;

	to->name = learn_member(k, c, has_name);
	to->attached = learn_member(k, c, has_attached);
	return to->name && to->attached;
}

/* Learns where classes have their names from two that every Ruby has. */
static int learn_classes(const struct look *k)
{
	struct ruby_classes *c = &k->l->classes;
	struct known_class known[] = {
		{value_of(k, "rb_cObject"), 0, "Object"}, {value_of(k, "rb_cString"), 0, "String"}};

	for (size_t i = 0; i < ARRAY_LEN(known); i++)
		if (!known[i].at ||
			!memory_pointer(
				&k->t->memory, known[i].at + BASIC_CLASS, &known[i].singleton) ||
			!(flags_of(k, known[i].singleton) & c->is_singleton) ||
			flags_of(k, known[i].at) & c->is_singleton)
			return -1;
	switch (c->facts) {
	case RUBY_IN_TABLE:
		return learn_variables(k, known, learn_variable) ? 0 : -1;
	case RUBY_BY_SHAPES:
		return learn_shapes(k, known) ? 0 : -1;
	default:
		return learn_members(k, known) ? 0 : -1;
	}
}

static int find_names(const struct look *k, struct strbuf *err)
{
	const struct ruby_layout *l = k->l;
	const char *what = find_ids(k) ? "symbols" : learn_classes(k) ? "classes" : NULL;

	if (!what || is_starting(k))
		return 0;
	return fail(err, "ruby %u.%u.%u in '%s' keeps the names of %s in an unknown way", l->major,
		l->minor, l->patch, k->file->path, what);
}

int ruby_find(const struct target *t, struct ruby_layout *l, struct strbuf *err)
{
	struct look k = {.t = t, .l = l};
	unsigned char byte;

	ask_files(t);
	*l = (struct ruby_layout){0};
	k.file = ruby_file(t);
	if (!k.file)
		return 1;
	if (!memory_read(&t->memory, target_symbol(k.file, RUBY_SYMBOL), &byte, 1))
		return target_refuse(k.file, "Ruby", err);
	int found = find_version(&k, err);

	if (!found)
		found = find_thread(&k, err);
	if (found)
		return found;
	find_gc(&k);
	return find_names(&k, err);
}
