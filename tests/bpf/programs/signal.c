/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * signal SECONDS kill|fault|nested: spins in a signal handler on an alternate stack. With "fault"
 * the first instruction of a function raises the signal, so its address is exact and not a return
 * address. With "nested" it spins in the handler of a second signal.
 */
#include "case.h"

#include <signal.h>
#include <string.h>

void first_faults(void);
__asm__(".pushsection .text\n"
	".globl before_it\n"
	".type before_it, @function\n"
	"before_it:\n"
	".cfi_startproc\n"
	"subq $88, %rsp\n"
	".cfi_adjust_cfa_offset 88\n"
	"ud2\n"
	".cfi_endproc\n"
	".size before_it, . - before_it\n"
	".globl first_faults\n"
	".type first_faults, @function\n"
	"first_faults:\n"
	".cfi_startproc\n"
	"movl $0, 0\n"
	"ret\n"
	".cfi_endproc\n"
	".size first_faults, . - first_faults\n"
	".popsection\n");

static NOINLINE void on_signal(int sig)
{
	(void)sig;
	spin();
	_exit(0);
}

static NOINLINE void on_first(int sig)
{
	(void)sig;
	kill(getpid(), SIGUSR2);
	NO_TAIL_CALL;
}

static NOINLINE void poke(const char *how)
{
	if (!strcmp(how, "fault"))
		first_faults();
	else
		kill(getpid(), SIGUSR1);
	NO_TAIL_CALL;
}

int main(int argc, char **argv)
{
	const char *how = argc > 2 ? argv[2] : "kill";
	static char room[1 << 16];
	stack_t stack = {.ss_sp = room, .ss_size = sizeof(room)};
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};

	burn_init(argc, argv);
	sigaltstack(&stack, NULL);
	sigaction(SIGSEGV, &action, NULL);
	sigaction(SIGUSR2, &action, NULL);
	if (!strcmp(how, "nested"))
		action.sa_handler = on_first;
	sigaction(SIGUSR1, &action, NULL);
	poke(how);
	return 0;
}
