/* SPDX-License-Identifier: GPL-2.0-or-later */
/* threads NR: has NR threads, or as many as it can create; prints how many. One thread starts and
 * joins other threads all the time, two threads run, the others wait. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void *wait_for_ever(void *arg)
{
	for (;;)
		pause();
	return arg;
}

static void *run(void *arg)
{
	for (volatile unsigned long i = 0;; i++)
		;
	return arg;
}

static void *end(void *arg)
{
	for (volatile int i = 0; i < 20000; i++)
		;
	return arg;
}

int main(int argc, char **argv)
{
	long nr = argc > 1 ? atol(argv[1]) : 0, started = 0;
	pthread_attr_t attr;
	pthread_t thread;

	if (nr < 4)
		return 64;
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 16384);
	while (started < nr &&
		!pthread_create(&thread, &attr, started < 2 ? run : wait_for_ever, NULL))
		started++;
	printf("%ld threads\n", started);
	fflush(stdout);
	for (;;)
		if (!pthread_create(&thread, &attr, end, NULL))
			pthread_join(thread, NULL);
		else
			usleep(1000);
}
