/* SPDX-License-Identifier: GPL-2.0-or-later */
/* jit SECONDS call|spin: runs code that it has generated itself, with a frame pointer. The
 * generated code calls a function of the program, or spins. */
#include "case.h"

#include <string.h>
#include <sys/mman.h>

static NOINLINE void called_back(void)
{
	spin();
	NO_TAIL_CALL;
}

/* push %rbp; mov %rsp, %rbp; sub $32, %rsp; mov $called_back, %rax; call *%rax; leave; ret */
static const unsigned char calls[] =
	"\x55\x48\x89\xe5\x48\x83\xec\x20\x48\xb8        \xff\xd0\xc9\xc3";
/* push %rbp; mov %rsp, %rbp; sub $32, %rsp; mov $&burn_over, %rax; loop: mov (%rax), %ecx; test
 * %ecx, %ecx; je loop; leave; ret */
static const unsigned char spins[] =
	"\x55\x48\x89\xe5\x48\x83\xec\x20\x48\xb8        \x8b\x08\x85\xc9\x74\xfa\xc9\xc3";

static NOINLINE void into_it(void *code)
{
	((void (*)(void))code)();
	NO_TAIL_CALL;
}

int main(int argc, char **argv)
{
	int spin_there = argc > 2 && !strcmp(argv[2], "spin");
	void *target = spin_there ? (void *)&burn_over : (void *)called_back;
	unsigned char *code =
		mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (code == MAP_FAILED)
		return 2;
	memcpy(code, spin_there ? spins : calls, spin_there ? sizeof(spins) : sizeof(calls));
	memcpy(code + 10, &target, sizeof(target));
	if (mprotect(code, 4096, PROT_READ | PROT_EXEC))
		return 2;
	burn_init(argc, argv);
	if (spin_there)
		case_ready();
	into_it(code);
	return 0;
}
