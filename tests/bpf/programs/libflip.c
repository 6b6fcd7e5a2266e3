/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One of two libraries of the same layout: where libflipa has a function with a small frame,
 * libflipb has one with a large frame. Built with -DLIB=a or -DLIB=b. */
#include "case.h"

#include <time.h>

#define JOIN(lib, name) lib##_##name
#define JOINED(lib, name) JOIN(lib, name)
#define FUNCTION(name) JOINED(LIB, name)
#define a_SMALL 24
#define a_LARGE 4000
#define b_SMALL 4000
#define b_LARGE 24
#define SMALL JOINED(LIB, SMALL)
#define LARGE JOINED(LIB, LARGE)

NOINLINE void FUNCTION(one)(void);
NOINLINE void FUNCTION(two)(void);
NOINLINE void FUNCTION(spin)(void);
void work(void);

/* Uses 20 ms of processor time. */
NOINLINE void FUNCTION(spin)(void)
{
	volatile unsigned room[SMALL / 4];
	clock_t end = clock() + CLOCKS_PER_SEC / 50;

	do
		for (int i = 0; i < 20000; i++)
			room[i & 3] += 3;
	while (clock() < end);
}

NOINLINE void FUNCTION(two)(void)
{
	volatile char room[LARGE];

	case_keep(room);
	FUNCTION(spin)();
	case_keep(room);
}

NOINLINE void FUNCTION(one)(void)
{
	volatile char room[SMALL];

	case_keep(room);
	FUNCTION(two)();
	case_keep(room);
}

void work(void)
{
	FUNCTION(one)();
	NO_TAIL_CALL;
}
