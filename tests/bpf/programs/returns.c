/* SPDX-License-Identifier: GPL-2.0-or-later */
/* returns SECONDS plain|lies: calls a leaf that soon returns, over and over. The leaf is written in
 * C, or in assembly with unwind information that leads to another caller. */
#include "case.h"

#include <string.h>

typedef void leaf(void);

static NOINLINE void plain(void)
{
	unsigned x = case_sink;

	for (int i = 0; i < 500; i++) {
		x = x * 1664525u + 1013904223u;
		case_keep(&x);
	}
	case_sink = x;
}

/* the unwind information takes the word that this leaf pushes for the return address */
leaf lies;
__asm__(".text\n"
	"lies:\n"
	".cfi_startproc\n"
	"	leaq	1f(%rip), %rax\n"
	"	pushq	%rax\n"
	"	movl	$500, %ecx\n"
	"0:	decl	%ecx\n"
	"	jne	0b\n"
	"	addq	$8, %rsp\n"
	"	ret\n"
	".cfi_endproc\n"
	"	call	lies\n"
	"1:	ret\n");

static NOINLINE void over_and_over(leaf *called)
{
	while (!burn_over)
		called();
}

int main(int argc, char **argv)
{
	burn_init(argc, argv);
	case_ready();
	over_and_over(argc > 2 && !strcmp(argv[2], "lies") ? lies : plain);
	return 0;
}
