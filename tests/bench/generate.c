/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * generate stap|folded BYTES [STACKS]: text of about BYTES for the benchmark, the same at every
 * run: walks through a call graph of 4,000 functions in 24 modules, some 28 frames deep, STACKS
 * (50,000) different ones, again and again.
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

/* A function calls 2 to 5 others, the first ones more often. */
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

static void print_frame(uint32_t function, uint32_t caller)
{
	uint32_t module = function % MODULES;
	uint64_t at = hash_u64((uint64_t)caller << 32 | function) % 0x700;

	printf(" 0x%" PRIx64 " : %s+0x%" PRIx64
	       "/0x800 [/usr/lib/x86_64-linux-gnu/lib%c%c.so.%u]\n",
		UINT64_C(0x7f1200000000) + module * UINT64_C(0x1000000) +
			function * UINT64_C(0x800) + at,
		name_of(function), at, 'a' + (int)module, 'z' - (int)module, module % 7);
}

static void print_stack(uint64_t seed, int stap)
{
	uint32_t stack[DEPTH_MIN + DEPTH_VARIES];
	uint64_t state = seed;
	size_t n = DEPTH_MIN + next_random(&state) % DEPTH_VARIES;

	stack[0] = 0;
	for (size_t i = 1; i < n; i++)
		stack[i] = callee(stack[i - 1], next_random(&state));
	for (size_t i = n; stap && i--;)
		print_frame(stack[i], i ? stack[i - 1] : 0);
	for (size_t i = 0; !stap && i < n; i++)
		printf("%s%s", i ? ";" : "", name_of(stack[i]));
	printf(stap ? "\t%" PRIu64 "\n" : " %" PRIu64 "\n", 1 + seed % 97);
}

int main(int argc, char **argv)
{
	uint64_t bytes, stacks = 50000;

	if (argc < 3 || !parse_u64(argv[2], strlen(argv[2]), 10, &bytes) ||
		(argc > 3 && !parse_u64(argv[3], strlen(argv[3]), 10, &stacks)) || !stacks) {
		fputs("usage: generate stap|folded BYTES [STACKS]\n", stderr);
		return EXIT_USAGE_ERROR;
	}
	for (uint64_t i = 0; (uint64_t)ftello(stdout) < bytes; i++)
		print_stack(i % stacks, !strcmp(argv[1], "stap"));
	return fclose(stdout) ? EXIT_FAILED : EXIT_OK;
}
