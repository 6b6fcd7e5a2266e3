# SPDX-License-Identifier: GPL-2.0-or-later
# spin32: a 32-bit program that prints "spinning" and spins.
	.globl _start
_start:
	call	middle
	hlt
middle:
	push	%ebp
	mov	%esp, %ebp
	mov	$4, %eax
	mov	$1, %ebx
	mov	$text, %ecx
	mov	$9, %edx
	int	$0x80
1:	jmp	1b
	.section .rodata
text:	.ascii	"spinning\n"
	.section .note.GNU-stack, "", @progbits
