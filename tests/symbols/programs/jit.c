/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jit SECONDS anon|memfd NAME [FILE]: spins in code that it generates itself, in memory without a
 * file or with a file without a path, and calls it NAME in the perf map FILE (default
 * /tmp/perf-PID.map).
 */
#include "../../programs/burn.h"

#include <inttypes.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE = 4096 };

/* push %rbp; mov %rsp, %rbp; mov $&burn_over, %rax; loop: mov (%rax), %ecx; test %ecx, %ecx;
 * je loop; pop %rbp; ret */
static const unsigned char spins[] =
	"\x55\x48\x89\xe5\x48\xb8        \x8b\x08\x85\xc9\x74\xfa\x5d\xc3";

/* Maps the same pages at two places, as programs do that never write where they run code. */
static void *map_code(const char *where)
{
	int shared = !strcmp(where, "memfd") ? memfd_create("doublemapper", MFD_CLOEXEC) : -1;
	int flags = shared < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED;
	volatile sig_atomic_t *over = &burn_over;

	if (shared >= 0 && ftruncate(shared, PAGE))
		return MAP_FAILED;
	unsigned char *code = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, flags, shared, 0);

	if (code == MAP_FAILED)
		return code;
	memcpy(code, spins, sizeof(spins));
	memcpy(code + 6, &over, sizeof(over));
	if (shared >= 0)
		return mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_SHARED, shared, 0);
	return mprotect(code, PAGE, PROT_READ | PROT_EXEC) ? MAP_FAILED : code;
}

static int write_map(const char *path, const void *code, const char *name)
{
	char own[64];

	snprintf(own, sizeof(own), "/tmp/perf-%d.map", getpid());
	FILE *out = fopen(path ? path : own, "w");

	if (!out)
		return -1;
	fprintf(out, "%" PRIxPTR " %zx %s\n", (uintptr_t)code, sizeof(spins) - 1, name);
	return fclose(out);
}

int main(int argc, char **argv)
{
	if (argc < 4)
		return 2;
	void *code = map_code(argv[2]);

	if (code == MAP_FAILED || write_map(argv[4], code, argv[3]))
		return 2;
	burn_init(argc, argv);
	if (write(STDOUT_FILENO, "spinning\n", 9) != 9)
		return 2;
	((void (*)(void))code)();
	return 0;
}
