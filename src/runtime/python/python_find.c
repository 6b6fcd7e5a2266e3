/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "python_find.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "runtime/target_facts.h"
#include "symbol/elf/elffacts.h"

#include <string.h>

static const char runtime[] = "_PyRuntime", version[] = "Py_Version",
		  first[] = "PyInterpreterState_Head", code_type[] = "PyCode_Type",
		  frame_type[] = "PyFrame_Type", type_type[] = "PyType_Type",
		  current[] = "_PyThreadState_UncheckedGet";

/*
 * Functions of CPython's API, each new in a version; those before Py_Version, which 3.11 has added.
 */
static const struct {
	const char *name;
	uint8_t minor;
} added[] = {
	{"PyModule_AddObjectRef", 10},
	{"PyFrame_GetCode", 9},
	{"PyCode_NewWithPosOnlyArgs", 8},
	{runtime, 7},
	{PYTHON_LOOP, 6},
};

/* Offsets in types, in builds without reference tracing. */
enum { TYPE_OF_OBJECT = 8, TYPE_BASICSIZE = 32 };
/* Words of _Py_DebugOffsets. */
enum { PUBLISHED_VERSION = 1 };
enum { RUNTIME_36 = 0, RUNTIME_37 = 24, RUNTIME_38 = 32, RUNTIME_311 = 40 };

static bool exports(const struct target_file *file, const char *name)
{
	struct elf_variable unused;

	return elffacts_variable(file->elf, name, &unused);
}

/* Reads all facts that will be needed, from all files at once. */
static void ask_files(const struct target *t)
{
	enum { OTHERS = 7 };
	const char *names[OTHERS + ARRAY_LEN(added) + 1] = {
		PYTHON_SYMBOL, version, first, code_type, frame_type, type_type, current};

	for (size_t i = 0; i < ARRAY_LEN(added); i++)
		names[OTHERS + i] = added[i].name;
	target_facts_ask(t, names, NULL);
}

const struct target_file *python_file(const struct target *t)
{
	for (size_t i = 0; i < t->nr_files; i++)
		if (exports(&t->files[i], PYTHON_SYMBOL))
			return &t->files[i];
	return NULL;
}

/* ---- version ---- */

static int find_version(const struct target *t, const struct target_file *file,
	struct python_layout *l, struct strbuf *err)
{
	uint64_t at = target_symbol(file, version), number;

	l->micro = PYTHON_ANY_MICRO;
	if (at) {
		if (!memory_pointer(&t->memory, at, &number) || number >> 24 != 3)
			return fail(err, "python in '%s' has no readable version", file->path);
		l->minor = (uint8_t)(number >> 16);
		l->micro = (uint8_t)(number >> 8);
		return 0;
	}
	for (size_t i = 0; i < ARRAY_LEN(added); i++)
		if (exports(file, added[i].name)) {
			l->minor = added[i].minor;
			return 0;
		}
	return fail(err, "python in '%s' is older than 3.6, and is not walked", file->path);
}

/* ---- shape ---- */

static bool type_size(
	const struct target *t, const struct target_file *file, const char *name, uint64_t *size)
{
	uint64_t at = target_symbol(file, name), type;

	return at && memory_pointer(&t->memory, at + TYPE_OF_OBJECT, &type) &&
	       type == target_symbol(file, type_type) &&
	       memory_pointer(&t->memory, at + TYPE_BASICSIZE, size);
}

static int take_known(const struct target *t, const struct target_file *file,
	struct python_layout *l, struct strbuf *err)
{
	const struct python_shape *shape = python_shape_known(l->minor);
	struct python_sizes sizes = {0, 0}, want;

	if (!shape)
		return fail(err, "python 3.%u in '%s' is not known: 3.6 to 3.15 are", l->minor,
			file->path);
	want = python_sizes_known(l->minor);
	l->shape = *shape;
	if (type_size(t, file, code_type, &sizes.code) &&
		type_size(t, file, frame_type, &sizes.frame) && sizes.code == want.code &&
		(!want.frame || sizes.frame == want.frame))
		return 0;
	return fail(err,
		"python 3.%u in '%s' has another layout than it has without special options of "
		"its build: code objects of %u bytes, frames of %u",
		l->minor, file->path, (unsigned)sizes.code, (unsigned)sizes.frame);
}

static int take_published(const struct target *t, const struct target_file *file, uint64_t at,
	struct python_layout *l, struct strbuf *err)
{
	uint64_t words[PYTHON_PUBLISHED_MAX], offset;

	if (!memory_read(&t->memory, at, words, sizeof(words)))
		return target_refuse(file, "Python", err);
	if (memcmp(words, "xdebugpy", sizeof(*words)) ||
		words[PUBLISHED_VERSION] >> 16 != (0x300u | l->minor))
		return fail(err, "python 3.%u in '%s' publishes no offsets of its structures",
			l->minor, file->path);
	if (!python_shape_published(words, l->minor, &l->shape, &offset))
		return fail(err,
			"python 3.%u in '%s' publishes offsets in a form that is not known: 3.13 "
			"to 3.15 are",
			l->minor, file->path);
	l->published = true;
	l->interpreters = at + offset;
	return 0;
}

/* ---- interpreters ---- */

enum { LOAD = 7, RETURN = 0xc3 }; /* bytes of the instruction; the instruction ret */

/* Takes the offset of mov OFFSET(%rax),%rax; ret. Returns false if CODE is something else. */
static bool take_offset(const unsigned char *code, int32_t *offset)
{
	static const unsigned char near[] = {0x48, 0x8b, 0x00}, far[] = {0x48, 0x8b, 0x80};

	*offset = 0;
	if (!memcmp(code, near, sizeof(near)))
		return code[sizeof(near)] == RETURN;
	memcpy(offset, code + sizeof(far), sizeof(*offset));
	return !memcmp(code, far, sizeof(far)) && code[LOAD] == RETURN;
}

/*
 * Reads from where the function at AT loads the pointer that it returns: from DISTANCE(%rip), or in
 * a library from an offset to the pointer there, which the dynamic linker has set.
 */
static bool loaded_from(const struct target *t, uint64_t at, uint64_t *address)
{
	static const unsigned char load[] = {0x48, 0x8b, 0x05}; /* mov DISTANCE(%rip),%rax */
	unsigned char code[32];
	int32_t distance, offset;
	size_t i = 0;

	if (!at || !memory_read(&t->memory, at, code, sizeof(code)))
		return false;
	while (memcmp(code + i, load, sizeof(load)))
		if (++i + 2 * LOAD >= sizeof(code))
			return false;
	memcpy(&distance, code + i + sizeof(load), sizeof(distance));
	*address = at + i + LOAD + (uint64_t)(int64_t)distance;
	if (code[i + LOAD] == RETURN)
		return true;
	if (!take_offset(code + i + LOAD, &offset) ||
		!memory_pointer(&t->memory, *address, address))
		return false;
	*address += (uint64_t)(int64_t)offset;
	return true;
}

static int find_interpreters(const struct target *t, const struct target_file *file,
	uint64_t runtime_at, struct python_layout *l, struct strbuf *err)
{
	if (l->minor >= 7) {
		l->interpreters = runtime_at + (l->minor >= 11         ? RUNTIME_311
						       : l->minor >= 8 ? RUNTIME_38
								       : RUNTIME_37);
		return 0;
	}
	if (loaded_from(t, target_symbol(file, first), &l->interpreters))
		return 0;
	return fail(err,
		"the interpreter of python 3.%u in '%s' cannot be found: the code of %s is of an "
		"unknown kind",
		l->minor, file->path, first);
}

int python_find(const struct target *t, struct python_layout *l, struct strbuf *err)
{
	const struct target_file *file;
	unsigned char byte;
	uint64_t at;

	ask_files(t);
	file = python_file(t);
	*l = (struct python_layout){0};
	if (!file)
		return 1;
	if (!memory_read(&t->memory, target_symbol(file, PYTHON_SYMBOL), &byte, 1))
		return target_refuse(file, "Python", err);
	if (find_version(t, file, l, err))
		return -1;
	at = target_symbol(file, runtime);
	l->code_type = target_symbol(file, code_type);
	if (l->minor >= 13 && at)
		return take_published(t, file, at, l, err);
	if (take_known(t, file, l, err))
		return -1;
	if (!l->shape.thread_status && !loaded_from(t, target_symbol(file, current), &l->current))
		l->current = 0;
	return find_interpreters(t, file, at, l, err);
}
