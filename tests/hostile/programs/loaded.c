/* SPDX-License-Identifier: GPL-2.0-or-later */
/* loaded LIBRARY [MILLISECONDS]: works for MILLISECONDS, loads LIBRARY, prints "spinning", and runs
 * the library's function spin until it is killed, or for some minutes. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

int main(int argc, char **argv)
{
	double until = now() + (argc > 2 ? atof(argv[2]) : 0);

	if (argc < 2)
		return 64;
	alarm(300);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (now() < until)
		;
	void *library = dlopen(argv[1], RTLD_NOW);
	void (*spin)(void) = library ? (void (*)(void))(long)dlsym(library, "spin") : NULL;

	puts(spin ? "spinning" : dlerror());
	fflush(stdout);
	if (spin)
		spin();
	return 1;
}
