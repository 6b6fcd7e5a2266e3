/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * climb [cpu|call [SECONDS [DEPTH [WIDTH]]]]: works below DEPTH (30) calls of WIDTH (256) different
 * functions with four call sites each; the functions on the upper half of the stack change all the
 * time. The work is arithmetic and memory accesses (cpu), or system calls that do next to nothing
 * (call). At the end it prints a line for each WINDOW_NS of undisturbed running: seconds since the
 * epoch; units of work a second; the percentage of the time in which it stood still, and how often
 * it did so a second. A thread that lost its processor meanwhile counts as disturbed; a thread that
 * was stopped by interrupts does not.
 */
#include "burn.h"

#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum {
	FUNCTIONS = 1024,
	TABLE = 16384, /* words: 64 KiB */
	PIECES = 32,   /* in a unit of work */
	LOADS = 50,
	GAP_NS = 2500, /* no piece takes that long */
	WINDOWS = 1 << 16,
	BATCH_NS = 1000000,
	WINDOW_NS = 20000000,
};

typedef unsigned (*function)(unsigned path, int left);

static const function functions[FUNCTIONS];
static unsigned table[TABLE];
static unsigned width = 256;
static int zero, depth = 30, calls;
static volatile unsigned sink;
static int in_upper_half;

static long last, gap; /* ns: the end of the last piece; the sum of all gaps */
static int gaps;

static struct {
	double at, speed, gap, gaps;
} windows[WINDOWS];
static int nr_windows;

static long now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000L + t.tv_nsec;
}

static void look_for_gap(void)
{
	long at = now(CLOCK_MONOTONIC);

	if (at - last > GAP_NS) {
		gap += at - last;
		gaps++;
	}
	last = at;
}

static unsigned climb_on(unsigned path);

static unsigned leaf(unsigned x)
{
	char byte = 0;

	if (!in_upper_half) {
		in_upper_half = 1;
		return climb_on(x);
	}

	for (int piece = 0; piece < PIECES; piece++) {
		if (calls)
			x += (unsigned)read(zero, &byte, 1) + (unsigned)byte;
		else
			for (int i = 0; i < LOADS; i++)
				x = x * 1664525u + table[x >> 18];
		look_for_gap();
	}
	return x;
}

static inline unsigned mixed(unsigned x)
{
	x ^= x >> 15;
	x *= 0x2c1b3c6du;
	return x ^ x >> 12;
}

/* The bodies and frames differ by N; equal functions would be merged. */
#define FUNCTION(n)                                                                                \
	static unsigned f##n(unsigned path, int left)                                              \
	{                                                                                          \
		volatile unsigned own[1 + (0x##n & 7)];                                            \
		unsigned next = mixed(path + 0x##n);                                               \
		function to = functions[next & (width - 1)];                                       \
                                                                                                   \
		own[0] = path;                                                                     \
		if (!left)                                                                         \
			return leaf(path) + own[0];                                                \
		switch (next >> 30) {                                                              \
		case 0:                                                                            \
			return to(next, left - 1) + own[0];                                        \
		case 1:                                                                            \
			return to(next, left - 1) * 3 + path;                                      \
		case 2:                                                                            \
			return to(next, left - 1) ^ 0x##n;                                         \
		default:                                                                           \
			return to(next, left - 1) * 5 + own[0];                                    \
		}                                                                                  \
	}

/* clang-format off */
#define EACH_1(of, n) \
	of(n##0) of(n##1) of(n##2) of(n##3) of(n##4) of(n##5) of(n##6) of(n##7) \
	of(n##8) of(n##9) of(n##a) of(n##b) of(n##c) of(n##d) of(n##e) of(n##f)
#define EACH_2(of, n) \
	EACH_1(of, n##0) EACH_1(of, n##1) EACH_1(of, n##2) EACH_1(of, n##3) \
	EACH_1(of, n##4) EACH_1(of, n##5) EACH_1(of, n##6) EACH_1(of, n##7) \
	EACH_1(of, n##8) EACH_1(of, n##9) EACH_1(of, n##a) EACH_1(of, n##b) \
	EACH_1(of, n##c) EACH_1(of, n##d) EACH_1(of, n##e) EACH_1(of, n##f)
#define EACH(of) EACH_2(of, 0) EACH_2(of, 1) EACH_2(of, 2) EACH_2(of, 3)
/* clang-format on */
#define NAME(n) f##n,

EACH(FUNCTION)

static const function functions[FUNCTIONS] = {EACH(NAME)};

static long switches(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_nvcsw + usage.ru_nivcsw;
}

/* Climbs and falls below the lower half; counts the work of times in which nothing else ran. */
static unsigned climb_on(unsigned path)
{
	long ran = 0, all_gap = 0;
	int done = 0, all_gaps = 0;

	while (!burn_over && nr_windows < WINDOWS) {
		long before = switches(), from = last = now(CLOCK_MONOTONIC);
		int units = 0;

		gap = gaps = 0;
		do {
			path = mixed(path + 1);
			sink = functions[path & (width - 1)](path, depth - depth / 2);
			units++;
		} while (last - from < BATCH_NS);
		if (switches() != before)
			continue;
		ran += last - from;
		done += units;
		all_gap += gap;
		all_gaps += gaps;
		if (ran < WINDOW_NS)
			continue;
		windows[nr_windows].at = (double)now(CLOCK_REALTIME) / 1e9;
		windows[nr_windows].speed = done * 1e9 / (double)ran;
		windows[nr_windows].gap = 100.0 * (double)all_gap / (double)ran;
		windows[nr_windows++].gaps = all_gaps * 1e9 / (double)ran;
		ran = all_gap = done = all_gaps = 0;
	}
	return path;
}

int main(int argc, char **argv)
{
	if (argc > 1)
		calls = !strcmp(argv[1], "call");
	burn_init(argc - 1, argv + 1);
	if (argc > 3)
		depth = atoi(argv[3]);
	if (argc > 4)
		width = (unsigned)atoi(argv[4]);
	zero = open("/dev/zero", O_RDONLY);
	for (unsigned i = 0; i < TABLE; i++)
		table[i] = mixed(i);
	sink = functions[0](1, depth / 2);
	for (int i = 0; i < nr_windows; i++)
		printf("%.3f %.0f %.3f %.0f\n", windows[i].at, windows[i].speed, windows[i].gap,
			windows[i].gaps);
	return 0;
}
