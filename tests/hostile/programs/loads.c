/* SPDX-License-Identifier: GPL-2.0-or-later */
/* loads LIBRARY: loads LIBRARY, calls its late_work, and unloads it, again and again. */
#include <dlfcn.h>

static void callback(void)
{
	for (volatile int i = 0; i < 100; i++)
		;
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 64;
	for (;;) {
		void *library = dlopen(argv[1], RTLD_NOW);
		void (*work)(void (*)(void)) =
			library ? (void (*)(void (*)(void)))dlsym(library, "late_work") : 0;

		if (!work)
			return 1;
		work(callback);
		dlclose(library);
	}
}
