/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "at_arguments.h"
#include "at_files.h"
#include "at_sites.h"
#include "lib/worker.h"
#include "symbol/elf/debugfile.h"
#include "symbol/elf/elffile.h"

#include <bpf/btf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DESCRIBE_S = 20 };

/* ---- files ---- */

/* A question about the debug information of a file, which a child without privileges answers. */
struct question {
	const struct at_site *function;
	const char *name;
	uint32_t number;
	struct elffile *elf, *debug, *alt;
	struct at_answer {
		enum debug_argument_result result;
		struct debug_argument argument;
	} answer;
};

static void open_files(void *arg)
{
	static const struct debug_paths paths;
	struct question *q = arg;
	char path[4096] = "";

	struct strbuf err = STRBUF_INIT;

	q->elf = elffile_open(q->function->file->path, &err);
	strbuf_release(&err);
	if (!q->elf)
		return;
	if (readlink(q->function->file->path, path, sizeof(path) - 1) < 0)
		strncpy(path, q->function->file->path, sizeof(path) - 1);
	q->debug = debugfile_open(q->elf, path, &paths);
	q->alt = debugfile_open_alt(q->debug ? q->debug : q->elf, &paths);
}

static void answer(void *arg, struct strbuf *output)
{
	struct question *q = arg;
	struct debugtypes *types =
		q->elf ? debugtypes_new(q->debug ? q->debug : q->elf, q->alt) : NULL;

	q->answer.result = DEBUG_NO_FUNCTION;
	if (types)
		q->answer.result = debugtypes_argument(
			types, q->function->address, q->name, q->number, &q->answer.argument);
	strbuf_add(output, (const char *)&q->answer, sizeof(q->answer));
	debugtypes_free(types);
}

static enum debug_argument_result ask(struct question *q)
{
	struct worker worker = {
		.open = open_files, .work = answer, .arg = q, .output = STRBUF_INIT};

	workers_run(&worker, 1, DESCRIBE_S);
	q->answer = (struct at_answer){.result = DEBUG_NO_FUNCTION};
	if (worker.end == WORKER_DONE && worker.output.len == sizeof(q->answer))
		memcpy(&q->answer, worker.output.buf, sizeof(q->answer));
	strbuf_release(&worker.output);
	/* the child may be under the control of the file */
	if (q->answer.result == DEBUG_ARGUMENT &&
		(!q->answer.argument.size || q->answer.argument.size > 8))
		q->answer.result = DEBUG_NO_INTEGER;
	return q->answer.result;
}

static bool are_equal(const struct debug_argument *a, const struct debug_argument *b)
{
	return a->number == b->number && a->size == b->size && a->is_signed == b->is_signed;
}

enum debug_argument_result at_argument_in_files(struct debug_argument *argument,
	const struct at_sites *found, const char *name, uint32_t number)
{
	enum debug_argument_result result = DEBUG_NO_FUNCTION;

	for (size_t i = 0; i < found->nr; i++) {
		struct question q = {&found->list[i], name, number, NULL, NULL, NULL, {0}};
		enum debug_argument_result one = ask(&q);

		if (i && (one != result || (one == DEBUG_ARGUMENT &&
						   !are_equal(argument, &q.answer.argument))))
			return DEBUG_NO_FUNCTION;
		result = one;
		*argument = q.answer.argument;
	}
	return result;
}

/* ---- the kernel ---- */

/* Skips typedefs and qualifiers. */
static const struct btf_type *plain_type(const struct btf *btf, uint32_t id)
{
	const struct btf_type *type = btf__type_by_id(btf, id);

	while (type && (btf_is_typedef(type) || btf_is_mod(type) || btf_is_type_tag(type)))
		type = btf__type_by_id(btf, type->type);
	return type;
}

/* Sets the size and sign of an integer or pointer. Returns false for other types. */
static bool take_integer(const struct btf *btf, uint32_t id, struct debug_argument *argument)
{
	const struct btf_type *type = plain_type(btf, id);

	if (!type || !(btf_is_int(type) || btf_is_ptr(type) || btf_is_any_enum(type)))
		return false;
	argument->size = btf_is_ptr(type) ? 8 : type->size;
	argument->is_signed = btf_is_int(type) && btf_int_encoding(type) & BTF_INT_SIGNED;
	return argument->size && argument->size <= 8;
}

static enum debug_argument_result find_parameter(struct debug_argument *argument,
	const struct btf *btf, const struct btf_type *function, const char *name, uint32_t number)
{
	const struct btf_param *parameters = btf_params(function);

	for (uint32_t i = 0; i < btf_vlen(function); i++) {
		const char *own = btf__name_by_offset(btf, parameters[i].name_off);
		bool is_wanted = name ? own && !strcmp(own, name) : i + 1 == number;
		bool is_integer = take_integer(btf, parameters[i].type, argument);

		argument->number = i + 1;
		if (is_wanted || !is_integer)
			return is_wanted && is_integer ? DEBUG_ARGUMENT : DEBUG_NO_INTEGER;
	}
	return DEBUG_NO_ARGUMENT;
}

static enum debug_argument_result find_in_btf(struct debug_argument *argument,
	const struct btf *btf, const char *function, const char *name, uint32_t number)
{
	int32_t id = btf__find_by_name_kind(btf, function, BTF_KIND_FUNC);
	const struct btf_type *type = id > 0 ? btf__type_by_id(btf, (uint32_t)id) : NULL;

	type = type ? btf__type_by_id(btf, type->type) : NULL;
	if (!type || !btf_is_func_proto(type))
		return DEBUG_NO_FUNCTION;
	if (name || number)
		return find_parameter(argument, btf, type, name, number);
	if (!type->type)
		return DEBUG_NO_ARGUMENT;
	return take_integer(btf, type->type, argument) ? DEBUG_ARGUMENT : DEBUG_NO_INTEGER;
}

enum debug_argument_result at_argument_in_kernel(
	struct debug_argument *argument, const char *function, const char *name, uint32_t number)
{
	struct btf *btf = btf__load_vmlinux_btf();
	enum debug_argument_result result;

	*argument = (struct debug_argument){0};
	if (!btf)
		return DEBUG_NO_FUNCTION;
	result = find_in_btf(argument, btf, function, name, number);
	btf__free(btf);
	return result;
}
