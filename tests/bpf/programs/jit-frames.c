/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jit-frames SECONDS call|jump|frameless: runs code in anonymous memory in which an outer function
 * calls an inner one that soon returns, over and over. Both keep frame pointers. With "jump" the
 * outer function pushes the return address and jumps, as interpreters do. With "frameless" the
 * inner function keeps no frame pointer and does not change rbp.
 */
#include "case.h"

#include <string.h>
#include <sys/mman.h>

typedef void outer(const void *inner, volatile sig_atomic_t *over);

/* the code that is copied; the outer functions keep their arguments in rbx and r12 */
extern const char jit_code[], jit_call[], jit_jump[], jit_inner[], jit_frameless[], jit_end[];
__asm__(".section .rodata\n"
	".macro outer_begin\n"
	"	pushq	%rbp\n"
	"	movq	%rsp, %rbp\n"
	"	pushq	%rbx\n"
	"	pushq	%r12\n"
	"	movq	%rdi, %rbx\n"
	"	movq	%rsi, %r12\n"
	"1:\n"
	".endm\n"
	".macro outer_end\n"
	"	movl	(%r12), %eax\n"
	"	testl	%eax, %eax\n"
	"	je	1b\n"
	"	popq	%r12\n"
	"	popq	%rbx\n"
	"	popq	%rbp\n"
	"	ret\n"
	".endm\n"
	".macro work\n"
	"	movl	$2000, %ecx\n"
	"3:	decl	%ecx\n"
	"	jne	3b\n"
	".endm\n"
	"jit_code:\n"
	"jit_call:\n"
	"	outer_begin\n"
	"	call	*%rbx\n"
	"	outer_end\n"
	"jit_jump:\n"
	"	outer_begin\n"
	"	leaq	2f(%rip), %rax\n"
	"	pushq	%rax\n"
	"	jmp	*%rbx\n"
	"2:	outer_end\n"
	"jit_inner:\n"
	"	pushq	%rbp\n"
	"	movq	%rsp, %rbp\n"
	"	work\n"
	"	popq	%rbp\n"
	"	ret\n"
	"jit_frameless:\n"
	"	pushq	%rbp\n"
	"	subq	$32, %rsp\n"
	"	work\n"
	"	addq	$32, %rsp\n"
	"	popq	%rbp\n"
	"	ret\n"
	"jit_end:\n"
	".text\n");

static NOINLINE void into_it(outer *called, const void *inner)
{
	called(inner, &burn_over);
	NO_TAIL_CALL;
}

int main(int argc, char **argv)
{
	const char *how = argc > 2 ? argv[2] : "call";
	const char *first = strcmp(how, "jump") ? jit_call : jit_jump;
	const char *second = strcmp(how, "frameless") ? jit_inner : jit_frameless;
	char *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (code == MAP_FAILED)
		return 2;
	/* not at the beginning of the page, so that there is memory before the first function to
	 * read */
	memcpy(code + 2048, jit_code, (size_t)(jit_end - jit_code));
	if (mprotect(code, 4096, PROT_READ | PROT_EXEC))
		return 2;
	burn_init(argc, argv);
	case_ready();
	into_it((outer *)(void *)(code + 2048 + (first - jit_code)),
		code + 2048 + (second - jit_code));
	return 0;
}
