/* SPDX-License-Identifier: GPL-2.0-or-later */
/* late LIBRARY [SECONDS]: works until SIGUSR1, then loads LIBRARY and works through its late_work.
 */
#include "burn.h"

#include <dlfcn.h>

static volatile unsigned sink;
static volatile sig_atomic_t to_load;

static void load_it(int sig)
{
	(void)sig;
	to_load = 1;
}

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
	if (argc < 2)
		return 64;
	burn_init(argc - 1, argv + 1);
	signal(SIGUSR1, load_it);
	while (!burn_over && !to_load)
		early_work();
	void *lib = dlopen(argv[1], RTLD_NOW);
	void (*late_work)(void (*)(void)) =
		lib ? (void (*)(void (*)(void)))dlsym(lib, "late_work") : NULL;

	if (!late_work) {
		fprintf(stderr, "late: %s\n", dlerror());
		return 2;
	}
	while (!burn_over)
		late_work(callback);
	return 0;
}
