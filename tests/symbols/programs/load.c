/* SPDX-License-Identifier: GPL-2.0-or-later */
/* load SECONDS LIBRARY [remove]: spins in the work() of a library, whose file it removes at once.
 */
#include "../../programs/burn.h"

#include <dlfcn.h>
#include <string.h>

int main(int argc, char **argv)
{
	void *library = argc > 2 ? dlopen(argv[2], RTLD_NOW) : NULL;
	void (*work)(volatile sig_atomic_t *);

	if (!library || (argc > 3 && !strcmp(argv[3], "remove") && unlink(argv[2])))
		return 2;
	*(void **)&work = dlsym(library, "work");
	burn_init(argc, argv);
	if (!work || write(STDOUT_FILENO, "spinning\n", 9) != 9)
		return 2;
	work(&burn_over);
	return 0;
}
