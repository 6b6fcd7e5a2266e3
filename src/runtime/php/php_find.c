/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "php_find.h"
#include "arch/x86_64/code_shapes.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "php_walk.h"
#include "runtime/operator_names.h"
#include "runtime/threadkey.h"
#include "symbol/elf/elffile.h"
#include "symbol/elf/elffacts.h"
#include "runtime/target_facts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Returns the address of a thread's globals in builds with thread safety. */
static const char cache_function[] = "tsrm_get_ls_cache";

/* Returns the name of an opcode. */
static const char name_function[] = "zend_get_opcode_name";

enum { NAME_FUNCTION = 40, NAME_PREFIX = 5 /* "ZEND_" */, NOP = 0 };
enum { PART = 1 << 20, KEPT = 64, CACHE_FUNCTION = 24, VERIFY_TRIES = 16, VERIFY_FRAMES = 16 };

static void ask_files(const struct target *t)
{
	static const char *const names[] = {PHP_SYMBOL, cache_function, name_function,
		"executor_globals", "executor_globals_offset", "sapi_globals",
		"sapi_globals_offset", THREADKEY_SYMBOLS, NULL};

	target_facts_ask(t, names, NULL);
}

const struct target_file *php_file(const struct target *t)
{
	struct elf_variable unused;

	ask_files(t);
	for (size_t i = 0; i < t->nr_files; i++)
		if (elffacts_variable(t->files[i].elf, PHP_SYMBOL, &unused))
			return &t->files[i];
	return NULL;
}

/* ---- version ---- */

/*
 * Searches TEXT for the build's id, "API20220829,NTS" or "API20220829,TS", with ",debug" or other
 * words behind it. Extensions must have the same.
 */
static bool find_build(const char *text, size_t size, struct php_layout *l)
{
	static const char begin[] = "\0API20";
	const char *end = text + size, *at = text;
	unsigned long api;
	char *behind;

	while ((at = memmem(at, (size_t)(end - at), begin, sizeof(begin) - 1))) {
		at += strlen("API") + 1;
		if (!memchr(at, '\0', (size_t)(end - at)))
			return false;
		api = strtoul(at, &behind, 10);
		if (behind != at + 8 || (strncmp(behind, ",NTS", 4) && strncmp(behind, ",TS", 3)))
			continue;
		l->api = (uint32_t)api;
		l->threads = behind[1] == 'T';
		return true;
	}
	return false;
}

/* Searches SIZE bytes at ADDRESS in this way, part by part. */
static bool search_build(
	const struct target *t, uint64_t address, uint64_t size, struct php_layout *l)
{
	char *text = xmalloc(KEPT + PART);
	size_t kept = 0, len;
	bool found = false;

	for (uint64_t at = 0; at < size && !found; at += PART) {
		len = size - at < PART ? size - at : PART;
		if (!memory_read(&t->memory, address + at, text + kept, len))
			break;
		found = find_build(text, kept + len, l);
		len += kept;
		kept = len < KEPT ? len : KEPT;
		memmove(text, text + len - kept, kept);
	}
	free(text);
	return found;
}

/* Finds the build's id of FILE, which is remembered for its other processes. */
static bool find_build_of(
	const struct target *t, const struct target_file *file, struct php_layout *l)
{
	static char *last;
	static struct php_layout last_layout;
	const char *build_id = elffile_build_id(file->elf);
	uint64_t address, size;

	if (last && *build_id && !strcmp(build_id, last)) {
		*l = last_layout;
		return true;
	}
	if (!elffacts_section(file->elf, ".rodata", &address, &size) ||
		!search_build(t, address + file->bias, size, l))
		return false;
	free(last);
	last = xstrdup(build_id);
	last_layout = *l;
	return true;
}

static int find_version(const struct target *t, const struct target_file *file,
	struct php_layout *l, struct strbuf *err)
{
	unsigned version;

	if (!find_build_of(t, file, l))
		return fail(err, "cannot determine the version of PHP in '%s'", file->path);
	if (!php_shape_known(l->api, &version, &l->shape))
		return fail(err,
			"PHP in '%s' has the module interface %" PRIu32 ", which is not one of the "
			"known versions, 7.0 to 8.6",
			file->path, l->api);
	l->version = version;
	return 0;
}

/* ---- globals ---- */

/* Finds the path to the memory that has the globals of a thread. */
static bool find_thread_memory(const struct target *t, struct pointer_path *path)
{
	const struct target_file *file = php_file(t);
	uint64_t address = target_symbol(file, cache_function), variable;
	unsigned char code[CACHE_FUNCTION];
	uint32_t key;

	return address && memory_read(&t->memory, address, code, sizeof(code)) &&
	       shape_loaded(code, sizeof(code), address, &variable) &&
	       memory_read(&t->memory, variable, &key, sizeof(key)) && threadkey_path(t, key, path);
}

int php_find_globals(const struct target *t, const char *name, const struct php_layout *l,
	struct pointer_path *path, uint64_t *at, struct strbuf *err)
{
	const struct target_file *file = php_file(t);
	char *offset = l->threads ? xasprintf("%s_offset", name) : NULL;
	uint64_t address = target_symbol(file, offset ? offset : name);

	free(offset);
	*path = (struct pointer_path){0};
	*at = address;
	if (!l->threads)
		return address ? 0 : fail(err, "PHP in '%s' has no symbol %s", file->path, name);
	if (l->version < 704)
		return fail(err,
			"PHP in '%s' was built with thread safety (ZTS), which is known from 7.4 "
			"on",
			file->path);
	if (address && memory_pointer(&t->memory, address, at) && *at &&
		find_thread_memory(t, path))
		return 0;
	return fail(err, "cannot find out where threads have their globals in '%s'", file->path);
}

/* ---- opcodes ---- */

/* Returns whether CODE compares its first argument, a byte, with a number: cmp $LAST,%dil. */
static bool is_compared(const unsigned char *code)
{
	return code[0] == 0x40 && code[1] == 0x80 && code[2] == 0xff;
}

/* Finds the array of names by the code that returns one of them if its number is up to LAST. */
static bool find_names(const struct target *t, struct operator_array *names)
{
	uint64_t address = target_symbol(php_file(t), name_function);
	unsigned char code[NAME_FUNCTION];

	if (!address || !memory_read(&t->memory, address, code, sizeof(code)))
		return false;
	for (size_t i = 0; i + 7 <= sizeof(code) && !names->address; i++) {
		if (is_compared(code + i))
			names->max = code[i + 3] + 1U;
		shape_taken(code + i, sizeof(code) - i, address + i, &names->address);
	}
	return names->address && names->max > PHP_INCLUDE_OR_EVAL;
}

/* Returns whether opcode NUMBER has this name. */
static bool is_named(const struct operator_names *names, uint32_t number, const char *name)
{
	const char *known = operator_names_get(names, number);

	return known && !strcmp(known, name);
}

const struct operator_names *php_find_operators(const struct target *t)
{
	struct operator_array array = {.prefix = NAME_PREFIX};
	const struct operator_names *names =
		find_names(t, &array) ? operator_names_read(&t->memory, &array) : NULL;

	return is_named(names, NOP, "NOP") &&
			       is_named(names, PHP_INCLUDE_OR_EVAL, "INCLUDE_OR_EVAL")
		       ? names
		       : NULL;
}

/* ---- verification ---- */

/*
 * Verifies the layout by a stack, if one can be found. While the process runs, a walk may fail at
 * times.
 */
static int verify(const struct target *t, const struct target_file *file, struct php_layout *l,
	struct strbuf *err)
{
	struct vm_frame frames[VERIFY_FRAMES];
	struct vm_stack stack = {.frames = frames, .max = VERIFY_FRAMES};
	static struct php_texts texts;
	static const struct vm_frame none;
	unsigned nr_wrong = 0;

	for (unsigned i = 0; i < VERIFY_TRIES && !l->verified; i++) {
		enum vm_end end = php_walk(l, &t->memory, 0, NULL, &stack);

		if (end == VM_NOT_RUNNING || (end == VM_WHOLE && !stack.nr))
			return 0;
		if (end == VM_WHOLE || end == VM_CUT) {
			php_frame_texts(l, &t->memory, &frames[stack.nr - 1], &none, &texts);
			l->verified = texts.named;
		}
		nr_wrong += !l->verified;
	}
	if (l->verified || nr_wrong < VERIFY_TRIES)
		return 0;
	return fail(err,
		"PHP in '%s' has the module interface %" PRIu32
		", but its memory does not have the layout of PHP %u.%u",
		file->path, l->api, l->version / 100, l->version % 100);
}

int php_find(const struct target *t, const struct php_layout *like, struct php_layout *l,
	struct strbuf *err)
{
	const struct target_file *file = php_file(t);
	unsigned char byte;

	*l = like ? *like : (struct php_layout){0};
	if (!file)
		return 1;
	if (!memory_read(&t->memory, target_symbol(file, PHP_SYMBOL), &byte, 1))
		return target_refuse(file, "PHP", err);
	if ((!like && find_version(t, file, l, err)) ||
		php_find_globals(t, "executor_globals", l, &l->globals, &l->current, err))
		return -1;
	l->current += l->shape.current;
	return l->threads ? 0 : verify(t, file, l, err);
}

void php_describe(const struct php_layout *l, const char *path, uint32_t pid, struct strbuf *out)
{
	strbuf_addf(out, "PHP %u.%u%s in '%s' of process %" PRIu32 ", known by its version%s",
		l->version / 100, l->version % 100, l->threads ? " with thread safety" : "", path,
		pid, l->verified ? " and verified by a stack" : "");
}
