/* SPDX-License-Identifier: GPL-2.0-or-later */
/* late LIBRARY [SECONDS]: works for some seconds, then loads LIBRARY and works through its late_work. */
#include "burn.h"

#include <dlfcn.h>
#include <time.h>

static volatile unsigned sink;

__attribute__((noinline)) static void early_work(void)
{
	sink = burn_unit(sink);
}

__attribute__((noinline)) static void callback(void)
{
	sink = burn_unit(sink);
}

int main(int argc, char **argv)
{
	time_t start = time(NULL);

	if (argc < 2)
		return 64;
	burn_init(argc - 1, argv + 1);
	while (!burn_over && time(NULL) - start < 6)
		for (int i = 0; i < 100; i++)
			early_work();
	void *lib = dlopen(argv[1], RTLD_NOW);
	void (*late_work)(void (*)(void)) = lib ? (void (*)(void (*)(void)))dlsym(lib, "late_work") : NULL;

	if (!late_work) {
		fprintf(stderr, "late: %s\n", dlerror());
		return 2;
	}
	while (!burn_over)
		late_work(callback);
	return 0;
}
