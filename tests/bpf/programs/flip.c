/* SPDX-License-Identifier: GPL-2.0-or-later */
/* flip [SECONDS [DIR]]: loads libflipa.so and libflipb.so of DIR in turn, each where the other one
 * was, and calls into it. Prints how often the address was the same. */
#include "case.h"

#include <dlfcn.h>

static NOINLINE int run(const char *path, void **where)
{
	void *lib = dlopen(path, RTLD_NOW);
	void (*work)(void) = lib ? (void (*)(void))dlsym(lib, "work") : NULL;
	int same;

	if (!work) {
		fprintf(stderr, "flip: %s\n", dlerror());
		exit(2);
	}
	Dl_info info;

	same = dladdr((void *)work, &info) && info.dli_fbase == *where;
	*where = info.dli_fbase;
	work();
	dlclose(lib);
	return same;
}

int main(int argc, char **argv)
{
	const char *dir = argc > 2 ? argv[2] : ".";
	char paths[2][4096];
	void *where = NULL;
	unsigned rounds = 0, same = 0;

	burn_init(argc, argv);
	snprintf(paths[0], sizeof(paths[0]), "%s/libflipa.so", dir);
	snprintf(paths[1], sizeof(paths[1]), "%s/libflipb.so", dir);
	case_ready();
	for (; !burn_over; rounds++)
		same += (unsigned)run(paths[rounds % 2], &where);
	printf("rounds %u same %u\n", rounds, same);
	return 0;
}
