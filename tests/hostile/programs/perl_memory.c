/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perl_memory THREADS: looks like perl 5.30 without threads. In place of Perl's stacks it has
 * structures that never end: a stack that is its own predecessor, 65,535 contexts in each stack,
 * subs and statements that refer to themselves, and words that change while they are read. One
 * thread is busy; THREADS others wait.
 */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

enum { WORDS = 1 << 20, CONTEXT = 96 / 8, CONTEXTS = 65535 };

uint64_t Perl_runops_standard = 1; /* the symbol by which perl is recognised */
unsigned char PL_revision = 5, PL_version = 30, PL_subversion = 0;
void *PL_curstackinfo, *PL_curcop, *PL_op, *PL_stack_sp;

static uint64_t memory[WORDS];

/* A sub, a glob, a statement and a list of values in one, all of which refer to themselves. */
static uint64_t everything[64];

static uint64_t address(const void *at)
{
	return (uint64_t)(uintptr_t)at;
}

/* PREV is the stack below; all contexts have TYPE. */
static void set_stack(uint64_t *stack, uint64_t prev, uint64_t type)
{
	stack[1] = address(memory);
	stack[2] = prev;
	stack[4] = CONTEXTS - 1;
	stack[5] = 2; /* not the main stack */
	for (size_t i = 0; i < WORDS / CONTEXT; i++) {
		uint64_t *context = memory + i * CONTEXT;

		context[0] = type;
		context[2] = context[8] = address(everything);
		context[6] = context[9] = 0;
	}
}

static void set_everything(uint64_t seed)
{
	for (size_t i = 0; i < 64; i++)
		everything[i] = address(everything) + (seed >> i % 8 & 1) * 8;
	everything[1] = (seed & 1 ? 13ULL : 9ULL) << 32 | 1; /* the type of a sub or of a glob */
}

static void *wait_for_ever(void *arg)
{
	for (;;)
		pause();
	return arg;
}

int main(int argc, char **argv)
{
	static uint64_t stack[8];
	pthread_t thread;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	alarm(300);
	for (int i = 0; argc == 2 && i < atoi(argv[1]); i++)
		if (pthread_create(&thread, NULL, wait_for_ever, NULL))
			return 1;
	set_stack(stack, address(stack), 0);
	set_everything(1);
	PL_curstackinfo = stack;
	PL_curcop = PL_op = PL_stack_sp = everything;
	puts("ready");
	fflush(stdout);
	for (uint64_t round = 0;; round++) {
		static const uint64_t types[] = {0, 9, 11, 0x89, 10};

		set_stack(stack, round % 3 ? address(stack) : address(memory + round % WORDS),
			types[round / 8 % 5]);
		for (uint64_t i = 0; i < 20000; i++)
			set_everything(round + i);
	}
}
