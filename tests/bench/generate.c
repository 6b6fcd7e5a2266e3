/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * generate stap|perf|folded BYTES [STACKS]: prints text of about BYTES for the benchmark, the same
 * at every run. Its stacks are walks through a call graph of 4,000 functions in 24 modules, some 28
 * frames deep. STACKS (default 50,000) different stacks are printed again and again.
 */
#include "lib/util.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FUNCTIONS = 4000, MODULES = 24, DEPTH_MIN = 16, DEPTH_VARIES = 24 };

static uint64_t next_random(uint64_t *state)
{
	*state += 0x9e3779b97f4a7c15ULL;
	return hash_u64(*state);
}

/* Returns one of the 2 to 5 functions that FUNCTION calls; the first ones are called more often. */
static uint32_t callee(uint32_t function, uint64_t choice)
{
	uint32_t n = 2 + function % 4;
	uint32_t a = (uint32_t)(choice % n), b = (uint32_t)(choice / 16 % n);

	return (uint32_t)(hash_u64((uint64_t)function << 3 | (a < b ? a : b)) % FUNCTIONS);
}

static const char *name_of(uint32_t function)
{
	static const char *const parts[] = {"read", "parse", "handle", "buffer", "request", "table",
		"compute", "sha256", "alloc", "next", "event", "worker", "flush", "update"};
	static char name[96];
	uint64_t h = hash_u64(function);

	snprintf(name, sizeof(name), "%s_%s_%s%" PRIu32, parts[h % 14], parts[h >> 8 & 7],
		parts[(h >> 16) % 14], function);
	return name;
}

static uint64_t offset_in(uint32_t function, uint32_t caller)
{
	return hash_u64((uint64_t)caller << 32 | function) % 0x700;
}

static uint64_t address_of(uint32_t function, uint32_t caller)
{
	return UINT64_C(0x7f1200000000) + function % MODULES * UINT64_C(0x1000000) +
	       function * UINT64_C(0x800) + offset_in(function, caller);
}

static const char *module_of(uint32_t function)
{
	static char name[64];
	uint32_t module = function % MODULES;

	snprintf(name, sizeof(name), "/usr/lib/x86_64-linux-gnu/lib%c%c.so.%u", 'a' + (int)module,
		'z' - (int)module, module % 7);
	return name;
}

/* A stack; the root is the first function. */
struct stack {
	uint32_t functions[DEPTH_MIN + DEPTH_VARIES];
	size_t n;
};

static void make_stack(struct stack *s, uint64_t seed)
{
	uint64_t state = seed;

	s->n = DEPTH_MIN + next_random(&state) % DEPTH_VARIES;
	s->functions[0] = 0;
	for (size_t i = 1; i < s->n; i++)
		s->functions[i] = callee(s->functions[i - 1], next_random(&state));
}

static void print_frames(const struct stack *s, const char *format)
{
	for (size_t i = s->n; i--;) {
		uint32_t function = s->functions[i], caller = i ? s->functions[i - 1] : 0;

		printf(format, address_of(function, caller), name_of(function),
			offset_in(function, caller), module_of(function));
	}
}

static void print_stap(const struct stack *s, uint64_t seed)
{
	print_frames(s, " 0x%" PRIx64 " : %s+0x%" PRIx64 "/0x800 [%s]\n");
	printf("\t%" PRIu64 "\n", 1 + seed % 97);
}

static void print_perf(const struct stack *s, uint64_t seed)
{
	printf("worker %" PRIu64 "/%" PRIu64 " [%03d] %" PRIu64 ".%06d: %10" PRIu64 " cycles: \n",
		1302 + seed % 4, 2017 + seed % 64, (int)(seed % 8), seed / 999, (int)(seed % 999),
		1000 + seed % 97);
	print_frames(s, "\t%16" PRIx64 " %s+0x%" PRIx64 " (%s)\n");
	putchar('\n');
}

static void print_folded(const struct stack *s, uint64_t seed)
{
	for (size_t i = 0; i < s->n; i++)
		printf("%s%s", i ? ";" : "", name_of(s->functions[i]));
	printf(" %" PRIu64 "\n", 1 + seed % 97);
}

static const struct {
	const char *name;
	void (*print)(const struct stack *s, uint64_t seed);
} kinds[] = {{"stap", print_stap}, {"perf", print_perf}, {"folded", print_folded}};

static size_t kind_of(const char *name)
{
	size_t i = 0;

	while (i < ARRAY_LEN(kinds) && strcmp(kinds[i].name, name))
		i++;
	return i;
}

int main(int argc, char **argv)
{
	size_t kind = argc > 2 ? kind_of(argv[1]) : ARRAY_LEN(kinds);
	uint64_t bytes, stacks = 50000;
	struct stack stack;

	if (kind == ARRAY_LEN(kinds) || !parse_u64(argv[2], strlen(argv[2]), 10, &bytes) ||
		(argc > 3 && !parse_u64(argv[3], strlen(argv[3]), 10, &stacks)) || !stacks) {
		fputs("usage: generate stap|perf|folded BYTES [STACKS]\n", stderr);
		return EXIT_USAGE_ERROR;
	}
	for (uint64_t i = 0; bytes ? (uint64_t)ftello(stdout) < bytes : i < stacks; i++) {
		make_stack(&stack, i % stacks);
		kinds[kind].print(&stack, i % stacks);
	}
	return fclose(stdout) ? EXIT_FAILED : EXIT_OK;
}
