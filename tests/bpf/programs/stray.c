/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stray SECONDS [NAME]: two threads called NAME run stray.S, one of them in libstray.so, the other
 * one in a copy in anonymous memory. */
#include "case.h"

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

enum { STACK = 1 << 16 };

extern const unsigned char stray[], stray_end[];

static void *thread(void *code)
{
	long *stack = malloc(STACK);

	for (unsigned i = 0; stack && i < STACK / sizeof(*stack); i++)
		stack[i] = 0x1111; /* no address */
	if (stack)
		((void (*)(long *))code)(stack + STACK / sizeof(*stack) / 2);
	return NULL;
}

int main(int argc, char **argv)
{
	size_t len = (size_t)(stray_end - stray);
	void *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	sigset_t signals, none;
	pthread_t ids[2];

	if (code == MAP_FAILED)
		return 2;
	memcpy(code, stray, len);
	if (mprotect(code, 4096, PROT_READ | PROT_EXEC))
		return 2;
	burn_init(argc, argv);
	sigfillset(&signals);
	pthread_sigmask(SIG_BLOCK, &signals, &none); /* these threads handle no signals */
	if (argc > 2)
		pthread_setname_np(pthread_self(), argv[2]);
	if (pthread_create(&ids[0], NULL, thread, (void *)stray) ||
		pthread_create(&ids[1], NULL, thread, code))
		return 2;
	case_ready();
	while (!burn_over)
		sigsuspend(&none);
	_exit(0);
}
