# SPDX-License-Identifier: GPL-2.0-or-later
# Code that cannot be unwound: no unwind information, no frame pointer, a stack of its own, no return. It runs at any address.
	.text
	.globl stray
	.type stray, @function
stray:
	movq	%rdi, %rsp
	movl	$7, %ebp
1:	incq	%rax
	jmp	1b
	.size stray, . - stray
	.globl stray_end
	.type stray_end, @function
stray_end:
	.section .note.GNU-stack, "", @progbits
