/* SPDX-License-Identifier: GPL-2.0-or-later */
/* threads [SECONDS [NUMBER]]: thread N (of NUMBER, default 200) is named by its number and spins
 * below N calls; the main thread waits. */
#include "case.h"

#include <pthread.h>

static NOINLINE void turn(void)
{
	unsigned x = 1;

	while (!burn_over)
		x = burn_unit(x);
	case_sink = x;
}

static NOINLINE void down(long depth)
{
	if (depth > 1)
		down(depth - 1);
	else
		turn();
	NO_TAIL_CALL;
}

static pthread_barrier_t barrier;

static void *thread(void *arg)
{
	char name[16];

	snprintf(name, sizeof(name), "%ld", (long)arg);
	pthread_setname_np(pthread_self(), name);
	pthread_barrier_wait(&barrier);
	down((long)arg);
	return NULL;
}

int main(int argc, char **argv)
{
	int number = argc > 2 ? atoi(argv[2]) : 200;
	pthread_t list[1000];

	if (number < 1 || number > 1000)
		return 64;
	burn_init(argc, argv);
	pthread_barrier_init(&barrier, NULL, (unsigned)number + 1);
	for (long i = 0; i < number; i++)
		if (pthread_create(&list[i], NULL, thread, (void *)(i + 1)))
			return 2;
	pthread_barrier_wait(&barrier);
	case_ready();
	for (int i = 0; i < number; i++)
		pthread_join(list[i], NULL);
	return 0;
}
