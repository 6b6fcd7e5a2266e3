/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "luajit_fast.h"
#include "lib/util.h"
#include "luajit_states.h"
#include "symbol/elf/elffile.h"

#include <stdlib.h>

enum {
	IDS = 256, /* of which the first two are for functions in Lua and for other C functions */
	FIRST_ID = 2,
	NAME_SIZE = 40,
	FILES_MAX = 64,
	NODES_MAX = 1 << 17, /* of all tables */
	TEXT = 0x18,         /* offset in GCstr */
	TEXT_LEN = 0x14,
	TEXT_MAX = 32,
};

struct luajit_fast {
	char *file;  /* build-id of the file, or its path if it has none */
	uid_t owner; /* of the file, since other users can write a file with the same build-id */
	char names[IDS][NAME_SIZE];
	char version[NAME_SIZE];
};

/* Names that are being read from a state. */
struct fast_reading {
	struct luajit_fast *fast;
	const struct memory *memory;
	enum luajit_build build;
	size_t left; /* nodes that may still be read: tables may be large and refer to each other */
};

static struct luajit_fast *files[FILES_MAX];
static size_t nr_files;

/* ---- values ---- */

/* Returns the object that the value V refers to if it is of TYPE, else 0. */
static uint64_t object_of(uint64_t v, enum luajit_type type)
{
	return v >> 47 == (~(uint32_t)type & 0x1ffff) ? v & ((1ULL << 47) - 1) : 0;
}

struct key_text {
	char s[TEXT_MAX + 1]; /* "" if it is not readable, too long or not plain ASCII */
};

/* A GCstr of up to TEXT_MAX bytes. */
struct raw_string {
	unsigned char head[TEXT_LEN];
	uint32_t len;
	char bytes[TEXT_MAX];
};
_Static_assert(offsetof(struct raw_string, bytes) == TEXT, "as in memory");

static bool is_narrow(const struct fast_reading *r)
{
	return r->build != LUAJIT_GC64;
}

/* Converts a value with a 32-bit reference to the format of GC64. */
static uint64_t wide_value(const struct fast_reading *r, uint64_t v)
{
	return is_narrow(r) ? v >> 32 << 47 | (uint32_t)v : v;
}

/* Converts a string from the layout of the state's build to the layout of GC64. */
static void widen_string(const struct fast_reading *r, struct raw_string *raw)
{
	const size_t text = r->build == LUAJIT_2_0 ? 0x10 : 0x14;

	if (!is_narrow(r))
		return;
	struct raw_string narrow = *raw;

	raw->head[LUAJIT_GCT] = narrow.head[LUAJIT_GCT_32];
	memcpy(&raw->len, (char *)&narrow + text - sizeof(raw->len), sizeof(raw->len));
	memcpy(raw->bytes, (char *)&narrow + text, TEXT_MAX);
}

static struct key_text plain_text(const struct raw_string *raw)
{
	struct key_text text = {""};

	if (raw->head[LUAJIT_GCT] != LUAJIT_STRING || raw->len > TEXT_MAX)
		return text;
	for (uint32_t i = 0; i < raw->len; i++)
		if (raw->bytes[i] < ' ' || raw->bytes[i] > '~')
			return text;
	memcpy(text.s, raw->bytes, raw->len);
	return text;
}

/* The head of a GCfunc. */
struct func_head {
	unsigned char head[LUAJIT_GCT + 1], ffid, nr_upvalues;
	uint64_t env;
};

/* The head of a GCfunc with 32-bit references. */
struct narrow_func {
	unsigned char head[LUAJIT_GCT_32 + 1], ffid, nr_upvalues;
	uint32_t env;
};

static void widen_function(const struct fast_reading *r, struct func_head *f)
{
	struct narrow_func narrow;

	if (!is_narrow(r))
		return;
	memcpy(&narrow, f, sizeof(narrow));
	*f = (struct func_head){.ffid = narrow.ffid, .env = narrow.env};
	f->head[LUAJIT_GCT] = narrow.head[LUAJIT_GCT_32];
}

/* ---- tables ---- */

struct table_head {
	unsigned char head[LUAJIT_GCT + 1], no_metamethods;
	int8_t colocated;
	uint64_t array, gclist, metatable, node;
	uint32_t array_size, hash_mask;
};

struct narrow_table {
	unsigned char head[LUAJIT_GCT_32 + 1], no_metamethods;
	int8_t colocated;
	uint32_t array, gclist, metatable, node, array_size, hash_mask;
};

static void widen_table(const struct fast_reading *r, struct table_head *t)
{
	struct narrow_table narrow;

	if (!is_narrow(r))
		return;
	memcpy(&narrow, t, sizeof(narrow));
	*t = (struct table_head){
		.metatable = narrow.metatable, .node = narrow.node, .hash_mask = narrow.hash_mask};
	t->head[LUAJIT_GCT] = narrow.head[LUAJIT_GCT_32];
}

/* A hash node, which has the same size in all builds. */
struct table_node {
	uint64_t value, key, next;
};

/* An entry whose key is a string. */
struct table_entry {
	struct key_text key;
	uint64_t value;
	struct func_head function; /* if the value is a function */
};

struct table_entries {
	struct table_entry *list;
	size_t nr;
};

static struct table_node *read_nodes(struct fast_reading *r, uint64_t at, size_t *nr)
{
	struct table_head table;
	struct table_node *nodes;

	if (!at || !memory_read(r->memory, at, &table, sizeof(table)))
		return NULL;
	widen_table(r, &table);
	if (table.head[LUAJIT_GCT] != LUAJIT_TABLE || table.hash_mask >= r->left)
		return NULL;
	*nr = (size_t)table.hash_mask + 1;
	r->left -= *nr;
	nodes = xcalloc(*nr, sizeof(*nodes));
	if (memory_read(r->memory, table.node, nodes, *nr * sizeof(*nodes)))
		return nodes;
	*nr = 0;
	free(nodes);
	return NULL;
}

static void read_keys(struct fast_reading *r, const uint64_t *keys, struct table_entries *e)
{
	struct raw_string *raw = xcalloc(e->nr, sizeof(*raw));

	if (memory_scattered(r->memory, keys, e->nr, sizeof(*raw), raw))
		for (size_t i = 0; i < e->nr; i++) {
			widen_string(r, &raw[i]);
			e->list[i].key = plain_text(&raw[i]);
		}
	free(raw);
}

static void read_functions(struct fast_reading *r, uint64_t *addresses, struct table_entries *e)
{
	struct func_head *functions = xcalloc(e->nr, sizeof(*functions));

	for (size_t i = 0; i < e->nr; i++)
		addresses[i] = object_of(e->list[i].value, LUAJIT_FUNCTION);
	if (memory_scattered(r->memory, addresses, e->nr, sizeof(*functions), functions))
		for (size_t i = 0; i < e->nr; i++) {
			widen_function(r, &functions[i]);
			if (functions[i].head[LUAJIT_GCT] == LUAJIT_FUNCTION)
				e->list[i].function = functions[i];
		}
	free(functions);
}

/* Returns the entries in the hash part of the table at AT whose keys are strings. Free the list. */
static struct table_entries read_table(struct fast_reading *r, uint64_t at)
{
	struct table_entries e = {NULL, 0};
	size_t nr = 0;
	struct table_node *nodes = read_nodes(r, at, &nr);
	uint64_t *addresses = xcalloc(nr + 1, sizeof(*addresses));

	e.list = xcalloc(nr + 1, sizeof(*e.list));
	for (size_t i = 0; i < nr; i++) {
		uint64_t key = object_of(wide_value(r, nodes[i].key), LUAJIT_STRING);

		if (!key)
			continue;
		addresses[e.nr] = key;
		e.list[e.nr++].value = wide_value(r, nodes[i].value);
	}
	if (e.nr) {
		read_keys(r, addresses, &e);
		read_functions(r, addresses, &e);
	}
	free(addresses);
	free(nodes);
	return e;
}

/* ---- names ---- */

static bool has_library(const char *name)
{
	return strpbrk(name, ".:");
}

static bool is_better(const char *name, const char *than)
{
	size_t len = strlen(name), old = strlen(than);

	if (!old || has_library(name) != has_library(than))
		return !old || has_library(name);
	return len != old ? len < old : strcmp(name, than) < 0;
}

static void take_name(struct luajit_fast *f, const struct table_entry *e, const char *library)
{
	char name[NAME_SIZE], *old = f->names[e->function.ffid];
	int len = snprintf(name, sizeof(name), "%s%s", library, e->key.s);

	if (e->function.ffid >= FIRST_ID && *e->key.s && (size_t)len < sizeof(name) &&
		is_better(name, old))
		strcpy(old, name);
}

static void take_table(struct fast_reading *r, uint64_t at, const char *library);

/*
 * Takes methods that an entry leads to. The methods of string buffers are in the environment of
 * string.buffer.new(), and the methods of C libraries in the metatable of ffi.C.
 */
static void take_methods(struct fast_reading *r, const struct table_entry *e, const char *library)
{
	uint64_t c = object_of(e->value, LUAJIT_USERDATA);
	struct table_head clib; /* begins as a table does */

	if (!strcmp(library, "string.buffer.") && !strcmp(e->key.s, "new"))
		take_table(r, e->function.env, "buffer:");
	if (!strcmp(library, "ffi.") && !strcmp(e->key.s, "C") && c &&
		memory_read(r->memory, c, &clib, sizeof(clib))) {
		widen_table(r, &clib);
		take_table(r, clib.metatable, "ffi.clib.");
	}
}

/* Takes the functions of a table. Their names are LIBRARY, such as "string.", and the key. */
static void take_table(struct fast_reading *r, uint64_t at, const char *library)
{
	struct table_entries e = read_table(r, at);

	for (size_t i = 0; i < e.nr; i++) {
		take_name(r->fast, &e.list[i], library);
		take_methods(r, &e.list[i], library);
	}
	free(e.list);
}

static void take_version(struct fast_reading *r, uint64_t jit)
{
	struct table_entries e = read_table(r, jit);

	for (size_t i = 0; i < e.nr; i++) {
		uint64_t value = object_of(e.list[i].value, LUAJIT_STRING);
		struct raw_string raw;

		if (!strcmp(e.list[i].key.s, "version") && value &&
			memory_read(r->memory, value, &raw, sizeof(raw))) {
			widen_string(r, &raw);
			strcpy(r->fast->version, plain_text(&raw).s);
		}
	}
	free(e.list);
}

/* Returns whether the LEN characters at NAME are the name of a library. */
static bool is_library(const char *name, size_t len)
{
	static const char *const libraries[] = {"string", "table", "math", "bit", "coroutine",
		"debug", "io", "os", "package", "jit", "ffi", "thread", "jit.util", "jit.opt",
		"jit.profile", "string.buffer"};

	for (size_t i = 0; i < ARRAY_LEN(libraries); i++)
		if (strlen(libraries[i]) == len && !memcmp(libraries[i], name, len))
			return true;
	return false;
}

/* Takes a module, which is a library or a function of a library, such as table.new. */
static void take_loaded(struct fast_reading *r, const struct table_entry *e)
{
	uint64_t table = object_of(e->value, LUAJIT_TABLE);
	const char *name = e->key.s, *dot = strrchr(name, '.');
	char library[NAME_SIZE];

	if (!strcmp(name, "_G")) {
		take_table(r, table, "");
	} else if (is_library(name, strlen(name))) {
		snprintf(library, sizeof(library), "%s.", name);
		take_table(r, table, library);
	} else if (dot && is_library(name, (size_t)(dot - name))) {
		take_name(r->fast, e, "");
	}
	if (!strcmp(name, "jit"))
		take_version(r, table);
}

/* Names functions that are in no table by the functions with the ffids before and after theirs. */
static void take_hidden(struct luajit_fast *f)
{
	static const char *const hidden[][3] = {{"pairs", "ipairs_aux", "ipairs"},
		{"coroutine.resume", "coroutine.wrap_aux", "coroutine.wrap"},
		{"string.match", "string.gmatch_aux", "string.gmatch"}};

	for (size_t i = FIRST_ID; i + 2 < IDS; i++)
		for (size_t k = 0; k < ARRAY_LEN(hidden); k++)
			if (!strcmp(f->names[i], hidden[k][0]) && !*f->names[i + 1] &&
				!strcmp(f->names[i + 2], hidden[k][2]))
				strcpy(f->names[i + 1], hidden[k][1]);
}

/* Takes the functions of the registry, the table at AT. */
static void take_registry(struct fast_reading *r, uint64_t at)
{
	struct table_entries e = read_table(r, at);

	for (size_t i = 0; i < e.nr; i++) {
		uint64_t table = object_of(e.list[i].value, LUAJIT_TABLE);

		if (!strcmp(e.list[i].key.s, "FILE*")) {
			take_table(r, table, "file:");
		} else if (!strcmp(e.list[i].key.s, "_LOADED")) {
			struct table_entries loaded = read_table(r, table);

			for (size_t k = 0; k < loaded.nr; k++)
				take_loaded(r, &loaded.list[k]);
			free(loaded.list);
		}
	}
	free(e.list);
}

/*
 * Takes the functions of the metatable at AT if it has "__metatable", as the metatable of ffi's
 * values does. No Lua code can change that.
 */
static void take_metatable(struct fast_reading *r, uint64_t at)
{
	struct table_entries e = read_table(r, at);
	bool of_ffi = false;

	for (size_t i = 0; i < e.nr; i++)
		of_ffi |= !strcmp(e.list[i].key.s, "__metatable");
	for (size_t i = 0; i < e.nr && of_ffi; i++)
		take_name(r->fast, &e.list[i], "ffi.meta.");
	free(e.list);
}

/* Finds the registry in the words of a global_State: it follows the node of nil, nil and 0. */
static uint64_t find_registry(const uint64_t *words, size_t nr)
{
	for (size_t i = LUAJIT_MAINTHREAD / 8; i + 3 < nr; i++)
		if (words[i] == UINT64_MAX && words[i + 1] == UINT64_MAX && !words[i + 2])
			return object_of(words[i + 3], LUAJIT_TABLE);
	return 0;
}

/* Takes the metatables among the tables of gcroot, which is somewhere in these WORDS. */
static void take_roots(struct fast_reading *r, const uint64_t *words, size_t nr)
{
	struct table_head *heads = xcalloc(nr, sizeof(*heads));

	if (memory_scattered(r->memory, words, nr, sizeof(*heads), heads))
		for (size_t i = 0; i < nr; i++) {
			widen_table(r, &heads[i]);
			if (heads[i].head[LUAJIT_GCT] == LUAJIT_TABLE)
				take_metatable(r, words[i]);
		}
	free(heads);
}

static void take_wide_global(struct fast_reading *r, uint64_t global)
{
	enum { WORDS = 0x2c0 / 8, ROOTS = 0x188 / 8 };
	uint64_t words[WORDS];

	if (!memory_read(r->memory, global, words, sizeof(words)))
		return;
	take_registry(r, find_registry(words, WORDS));
	take_roots(r, words + ROOTS, WORDS - ROOTS);
}

static void take_narrow_global(struct fast_reading *r, uint64_t global)
{
	enum { ROOTS = 38 };
	bool old = r->build == LUAJIT_2_0;
	uint64_t registry, roots[ROOTS];
	uint32_t narrow[ROOTS];

	if (!memory_pointer(r->memory, global + (old ? 0x98 : 0xd8), &registry) ||
		!memory_read(r->memory, global + (old ? 0x100 : 0x158), narrow, sizeof(narrow)))
		return;
	take_registry(r, object_of(wide_value(r, registry), LUAJIT_TABLE));
	for (size_t i = 0; i < ROOTS; i++)
		roots[i] = narrow[i];
	take_roots(r, roots, ROOTS);
}

static struct luajit_fast *of_file(const struct target_file *file)
{
	const char *id = elffile_build_id(file->elf);

	if (!*id)
		id = file->path;
	for (size_t i = 0; i < nr_files; i++)
		if (!strcmp(files[i]->file, id) && files[i]->owner == elffile_owner(file->elf))
			return files[i];
	if (nr_files == FILES_MAX)
		return NULL;
	files[nr_files] = xcalloc(1, sizeof(**files));
	files[nr_files]->file = xstrdup(id);
	files[nr_files]->owner = elffile_owner(file->elf);
	return files[nr_files++];
}

const struct luajit_fast *luajit_fast_learn(
	const struct target_file *file, const struct memory *m, uint64_t global)
{
	struct fast_reading r = {of_file(file), m, luajit_state_at(m, global), NODES_MAX};

	if (!r.fast)
		return NULL;
	if (is_narrow(&r))
		take_narrow_global(&r, global);
	else
		take_wide_global(&r, global);
	take_hidden(r.fast);
	return r.fast;
}

const char *luajit_fast_name(const struct luajit_fast *f, unsigned ffid)
{
	return f && ffid < IDS && *f->names[ffid] ? f->names[ffid] : NULL;
}

const char *luajit_fast_version(const struct luajit_fast *f)
{
	return f && *f->version ? f->version : NULL;
}
