# SPDX-License-Identifier: GPL-2.0-or-later
# Frames as assembly programmers make them; asm.c calls them.
	.text

# rbp holds a number, for unwinders that take rbp for a frame pointer
	.macro function name
	.globl \name
	.type \name, @function
\name:
	.endm
	.macro end_of name
	.size \name, . - \name
	.endm

# the CFA depends on rbx
	function cfa_rbx
	.cfi_startproc
	pushq	%rbx
	.cfi_def_cfa_offset 16
	.cfi_offset %rbx, -16
	movq	%rsp, %rbx
	.cfi_def_cfa_register %rbx
	subq	$512, %rsp
	andq	$-64, %rsp
	call	*%rdi
	movq	%rbx, %rsp
	.cfi_def_cfa_register %rsp
	popq	%rbx
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	end_of cfa_rbx

# the old stack pointer lies on the stack: CFA = *(rsp + 40) + 8
	function cfa_deref
	.cfi_startproc
	movq	%rsp, %rax
	.cfi_def_cfa_register %rax
	pushq	%rbp
	.cfi_offset %rbp, -16
	pushq	%rbx
	.cfi_offset %rbx, -24
	subq	$64, %rsp
	andq	$-64, %rsp
	movq	%rax, 40(%rsp)
	.cfi_escape 0x0f, 5, 0x77, 40, 0x06, 0x23, 8
	movl	$1, %ebp
	movl	$2, %ebx
	call	*%rdi
	movq	40(%rsp), %rsi
	.cfi_def_cfa %rsi, 8
	movq	-16(%rsi), %rbx
	movq	-8(%rsi), %rbp
	movq	%rsi, %rsp
	.cfi_def_cfa_register %rsp
	.cfi_restore %rbp
	.cfi_restore %rbx
	ret
	.cfi_endproc
	end_of cfa_deref

# leaves whose CFA depends on a register that calls do not preserve
	.macro leaf_by name reg
	function \name
	.cfi_startproc
	movq	%rsp, %\reg
	.cfi_def_cfa_register %\reg
	pushq	%rbx
	.cfi_offset %rbx, -16
	pushq	%rbp
	.cfi_offset %rbp, -24
	subq	$1024, %rsp
	andq	$-256, %rsp
	movl	$3, %ebp
	movl	$4, %ebx
1:	movl	(%rdi), %ecx
	testl	%ecx, %ecx
	je	1b
	movq	-8(%\reg), %rbx
	.cfi_restore %rbx
	movq	-16(%\reg), %rbp
	.cfi_restore %rbp
	movq	%\reg, %rsp
	.cfi_def_cfa_register %rsp
	ret
	.cfi_endproc
	end_of \name
	.endm
	leaf_by leaf_rax rax
	leaf_by leaf_r10 r10

# the CFA depends on rax across a call: the callee is known to keep rax
	function leaf_kept
	.cfi_startproc
	movq	%rsp, %rax
	.cfi_def_cfa_register %rax
	subq	$512, %rsp
	andq	$-64, %rsp
	call	keeps_rax
	movq	%rax, %rsp
	.cfi_def_cfa_register %rsp
	ret
	.cfi_endproc
	end_of leaf_kept

	function keeps_rax
	.cfi_startproc
	pushq	%r12
	.cfi_def_cfa_offset 16
	.cfi_offset %r12, -16
	leaq	64(%rsp), %r12
1:	movl	(%rdi), %ecx
	testl	%ecx, %ecx
	je	1b
	popq	%r12
	.cfi_restore %r12
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	end_of keeps_rax

# the CFA depends on r12, which the callee saves
	function leaf_saved
	.cfi_startproc
	pushq	%r12
	.cfi_def_cfa_offset 16
	.cfi_offset %r12, -16
	movq	%rsp, %r12
	.cfi_def_cfa_register %r12
	subq	$512, %rsp
	andq	$-64, %rsp
	call	keeps_rax
	movq	%r12, %rsp
	.cfi_def_cfa_register %rsp
	popq	%r12
	.cfi_restore %r12
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	end_of leaf_saved

# no unwind information, but a frame pointer
	function no_cfi_fp
	pushq	%rbp
	movq	%rsp, %rbp
	subq	$256, %rsp
	call	*%rdi
	leave
	ret
	end_of no_cfi_fp

# no unwind information; rbp and the contents of the frame are just numbers
	function no_cfi
	pushq	%rbp
	movl	$0x1234, %ebp
	subq	$240, %rsp
	call	*%rdi
	addq	$240, %rsp
	popq	%rbp
	ret
	end_of no_cfi

# no unwind information; rbp points into the stack, but not to a frame: two words of data lie there
	function no_cfi_stale
	pushq	%rbp
	subq	$240, %rsp
	leaq	64(%rsp), %rbp
	leaq	32(%rbp), %rax
	movq	%rax, (%rbp)
	movq	%rsp, 8(%rbp)
	call	*%rdi
	addq	$240, %rsp
	popq	%rbp
	ret
	end_of no_cfi_stale

# a leaf without unwind information; rbp is a number
	function leaf_no_cfi
	pushq	%rbp
	subq	$80, %rsp
	movl	$5, %ebp
1:	movl	(%rdi), %ecx
	testl	%ecx, %ecx
	je	1b
	addq	$80, %rsp
	popq	%rbp
	ret
	end_of leaf_no_cfi

	.section .note.GNU-stack, "", @progbits
