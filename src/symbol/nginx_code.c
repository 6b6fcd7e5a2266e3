/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "nginx_code.h"
#include "lib/util.h"

#include <stdlib.h>

enum {
	CTX_WORDS_MAX = 13,
	/* struct ngx_command_s, in words */
	COMMAND_WORDS = 7,
	COMMAND_NAME_LEN = 0,
	COMMAND_SET = 3,
	COMMANDS_MAX = 256,
};

#define TYPE(a, b, c, d)                                                                           \
	((uint64_t)(a) | (uint64_t)(b) << 8 | (uint64_t)(c) << 16 | (uint64_t)(d) << 24)

void nginx_code_release(struct nginx_code *code)
{
	free(code->list);
	*code = (struct nginx_code){0};
}

/*
 * Returns the number of words in the context of a module of TYPE. Most are pointers to functions.
 */
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

void nginx_code_put(struct nginx_code *code, uint64_t address, uint32_t module)
{
	ALLOC_GROW(code->list, code->nr, code->alloc);
	code->list[code->nr++] = (struct nginx_function){address, module};
}

static void add(struct nginx_code *code, const struct nginx_reader *reader, const uint64_t *word,
	size_t nr, uint32_t module)
{
	for (size_t i = 0; i < nr; i++)
		if (word[i] && reader->is_function(reader->context, word[i]))
			nginx_code_put(code, word[i], module);
}

void nginx_code_add(struct nginx_code *code, const struct nginx_reader *reader,
	const uint64_t word[NGINX_MODULE_WORDS], uint32_t module)
{
	uint64_t ctx[CTX_WORDS_MAX], command[COMMAND_WORDS], commands = word[NGINX_MODULE_COMMANDS];
	size_t nr = ctx_words(word[NGINX_MODULE_TYPE]);

	add(code, reader, word + NGINX_MODULE_CALLS, NGINX_MODULE_WORDS - NGINX_MODULE_CALLS,
		module);
	if (word[NGINX_MODULE_CTX] &&
		reader->read(reader->context, word[NGINX_MODULE_CTX], ctx, nr * sizeof(*ctx)))
		add(code, reader, ctx, nr, module);
	for (size_t i = 0; commands && i < COMMANDS_MAX; i++) {
		if (!reader->read(reader->context, commands + i * sizeof(command), command,
			    sizeof(command)) ||
			!command[COMMAND_NAME_LEN])
			break;
		add(code, reader, &command[COMMAND_SET], 1, module);
	}
}

static int compare_functions(const void *a, const void *b)
{
	const struct nginx_function *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return (x->module > y->module) - (x->module < y->module);
}

void nginx_code_sort(struct nginx_code *code)
{
	size_t kept = 0;

	if (code->nr)
		qsort(code->list, code->nr, sizeof(*code->list), compare_functions);
	for (size_t i = 0, end; i < code->nr; i = end) {
		struct nginx_function f = code->list[i];
		bool same = true;

		for (end = i; end < code->nr && code->list[end].address == f.address; end++)
			same &= code->list[end].module == f.module;
		if (same)
			code->list[kept++] = f;
	}
	code->nr = kept;
}

const struct nginx_function *nginx_code_find(
	const struct nginx_code *code, uint64_t address, const struct nginx_function **next)
{
	size_t low = 0, high = code->nr;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (code->list[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	*next = low < code->nr ? &code->list[low] : NULL;
	return low ? &code->list[low - 1] : NULL;
}
