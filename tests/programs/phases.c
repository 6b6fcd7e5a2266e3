/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Works in first_phase(), sleeps, and works in second_phase(). Another thread sleeps all the time.
 * The phases never overlap.
 */
#include "burn.h"

#include <pthread.h>
#include <time.h>

enum { UNITS = 3000, SLEEP_MS = 600 };

static unsigned value;

static void sleep_ms(long ms)
{
	struct timespec t = {ms / 1000, ms % 1000 * 1000000};

	while (nanosleep(&t, &t))
		;
}

static __attribute__((noinline)) void first_phase(void)
{
	for (int i = 0; i < UNITS; i++)
		value = burn_unit(value);
	__asm__ volatile("");
}

static __attribute__((noinline)) void second_phase(void)
{
	for (int i = 0; i < UNITS; i++)
		value = burn_unit(value + 1);
	__asm__ volatile("");
}

static void *sleep_always(void *arg)
{
	(void)arg;
	for (;;)
		pause();
	return NULL;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, sleep_always, NULL);
	sleep_ms(SLEEP_MS);
	first_phase();
	sleep_ms(SLEEP_MS);
	second_phase();
	return value == 1;
}
