/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * places [wait] N: calls the functions below with 1 to N, and prints how often one has returned
 * something else; with wait it does so after SIGUSR1. places time NAME N: prints the nanoseconds of
 * a call. The functions keep their argument in the red zone or in their frame.
 */
#include "await_signal.h"

#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NOP5 ".byte 0x0f, 0x1f, 0x44, 0x00, 0x00\n"
#define FUNCTION(name, code)                                                                       \
	uint64_t name(uint64_t number);                                                            \
	__asm__(".text\n.type " #name ", @function\n.globl " #name "\n.balign 16\n" #name ":\n"    \
		".cfi_startproc\n" code ".cfi_endproc\n.size " #name ", . - " #name "\n")

/* The nops of five bytes are at the start, and at the start of a part where the red zone is used.
 */
FUNCTION(nop_first, NOP5 "mov %rdi, -8(%rsp)\nmov -8(%rsp), %rax\nret\n");
FUNCTION(nop_inside,
	"mov %rdi, -8(%rsp)\n"
	".type inner, @function\n.globl inner\ninner:\n" NOP5 "mov -8(%rsp), %rax\nret\n"
	".size inner, . - inner\n");
/* The first branch is a place, but not if it jumps back. */
FUNCTION(branch_first, "endbr64\nmov %rdi, %rax\ntest %rdi, %rdi\nje 1f\n1: ret\n");
FUNCTION(loop_first,
	"mov %rdi, -8(%rsp)\nmov $5, %eax\n1: dec %eax\njne 1b\nmov -8(%rsp), %rax\nret\n");
FUNCTION(frame_first, "endbr64\nsub $24, %rsp\n.cfi_adjust_cfa_offset 24\nmov %rdi, 8(%rsp)\nnop\n"
		      "mov 8(%rsp), %rax\nadd $24, %rsp\n.cfi_adjust_cfa_offset -24\nret\n");
FUNCTION(push_second, "endbr64\npush %rbx\n.cfi_adjust_cfa_offset 8\nmov %rdi, %rax\n"
		      "pop %rbx\n.cfi_adjust_cfa_offset -8\nret\n");
FUNCTION(no_place, "mov %rdi, -8(%rsp)\nmov -8(%rsp), %rax\nret\n");

static const struct function {
	const char *name;
	uint64_t (*call)(uint64_t);
} functions[] = {
	{"nop_first", nop_first},
	{"nop_inside", nop_inside},
	{"branch_first", branch_first},
	{"loop_first", loop_first},
	{"frame_first", frame_first},
	{"push_second", push_second},
	{"no_place", no_place},
};

enum { FUNCTIONS = sizeof(functions) / sizeof(*functions) };

static int time_calls(const char *name, uint64_t nr)
{
	struct timespec begin, end;

	for (int i = 0; i < FUNCTIONS; i++) {
		if (strcmp(functions[i].name, name))
			continue;
		clock_gettime(CLOCK_MONOTONIC, &begin);
		for (uint64_t n = 1; n <= nr; n++)
			functions[i].call(n);
		clock_gettime(CLOCK_MONOTONIC, &end);
		printf("%.1f\n", ((double)(end.tv_sec - begin.tv_sec) * 1e9 +
					 (double)(end.tv_nsec - begin.tv_nsec)) /
					 (double)nr);
	}
	return 0;
}

int main(int argc, char **argv)
{
	unsigned wrong = 0;

	if (argc > 3 && !strcmp(argv[1], "time"))
		return time_calls(argv[2], strtoull(argv[3], NULL, 10));
	if (argc > 2 && !strcmp(argv[1], "wait")) {
		await_signal();
		argv++;
	}
	uint64_t nr = argc > 1 ? strtoull(argv[1], NULL, 10) : 0;

	for (uint64_t n = 1; n <= nr; n++)
		for (int i = 0; i < FUNCTIONS; i++)
			wrong += functions[i].call(n) != n;
	printf("%u wrong\n", wrong);
	return 0;
}
