/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The first code of a stand-in for a kernel: assembly, which has lines and no functions. */
	.text
	.globl	_stext
_stext:
	.globl	entry
	.type	entry, @function
entry:
	nop
	nop
	call	kernel_start
	nop
	ret
	.size	entry, . - entry
	.section .note.GNU-stack, "", @progbits
