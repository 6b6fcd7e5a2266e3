/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ladder [SECONDS [THREADS]]: its threads climb through libone.so and libtwo.so to depth 40, sort
 * there with libc's qsort, and do 7 units of work in work_seven and 3 in work_three in its
 * callback. Prints how much work it did: "seven N three N".
 */
#include "burn.h"

#include <pthread.h>
#include <stdatomic.h>

typedef void (*ladder_end)(void *);
void one_step(int depth, ladder_end end, void *arg);

static atomic_ulong seven, three;
static volatile unsigned sink;

__attribute__((noinline)) static void work_seven(void)
{
	unsigned x = sink;

	for (int i = 0; i < 7; i++)
		x = burn_unit(x);
	sink = x;
	seven += 7;
}

__attribute__((noinline)) static void work_three(void)
{
	unsigned x = sink;

	for (int i = 0; i < 3; i++)
		x = burn_unit(x);
	sink = x;
	three += 3;
}

static int compare(const void *a, const void *b)
{
	work_seven();
	work_three();
	return *(const int *)a - *(const int *)b;
}

static void sort(void *arg)
{
	int list[8] = {5, 3, 8, 1, 9, 2, 7, 4};

	(void)arg;
	qsort(list, 8, sizeof(*list), compare);
	__asm__ volatile("" ::: "memory");
}

static void *climb(void *arg)
{
	while (!burn_over)
		one_step(40, sort, arg);
	return NULL;
}

int main(int argc, char **argv)
{
	int threads = argc > 2 ? atoi(argv[2]) : 1;
	pthread_t list[16];

	burn_init(argc, argv);
	for (int i = 1; i < threads && i < 16; i++)
		pthread_create(&list[i], NULL, climb, NULL);
	climb(NULL);
	for (int i = 1; i < threads && i < 16; i++)
		pthread_join(list[i], NULL);
	printf("seven %lu three %lu\n", (unsigned long)seven, (unsigned long)three);
	return 0;
}
