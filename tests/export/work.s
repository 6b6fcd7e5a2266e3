# SPDX-License-Identifier: GPL-2.0-or-later
# A program of two functions, _start and hot, with a third one, step, inlined into hot, and debug information in which every line and
# discriminator is known. The section .places has the addresses of the instructions: h0 to h6, s1, s2.
	.file 1 "work.c"
	.text
.Ltext:
	.type hot, @function
hot:
	.loc 1 11
.Lh0:	cmpl $3, %edi
.Lh1:	je .Lh5
	.loc 1 12 0 discriminator 2	# the first part of the line
.Lh2:	addl $1, %edi
	.loc 1 21
.Lh3:	imull $3, %edi, %edi
	.loc 1 14
.Lh4:	jmp .Lh6
	.loc 1 15 0 discriminator 13	# the compiler made three copies
.Lh5:	subl $1, %edi
	.loc 1 16
.Lh6:	ret
.Lhot_end:
	.size hot, . - hot
	.globl _start
	.type _start, @function
_start:
	.loc 1 31
	movl $5, %edi
	.loc 1 32
.Ls1:	call hot
	.loc 1 33
.Ls2:	jmp .Ls1
.Ltext_end:
	.size _start, . - _start

	.section .places, "", @progbits
	.quad .Lh0, .Lh1, .Lh2, .Lh3, .Lh4, .Lh5, .Lh6, .Ls1, .Ls2

	.section .debug_abbrev, "", @progbits
.Labbrev:
	.uleb128 1, 0x11		# DW_TAG_compile_unit, with children
	.byte 1
	.uleb128 0x10, 0x17, 0x11, 0x01, 0x12, 0x06, 0x03, 0x08, 0, 0
	.uleb128 2, 0x2e		# DW_TAG_subprogram, with children: name, line, from, size
	.byte 1
	.uleb128 0x03, 0x08, 0x3b, 0x0b, 0x11, 0x01, 0x12, 0x06, 0, 0
	.uleb128 3, 0x2e		# DW_TAG_subprogram, which is inlined: name, line
	.byte 0
	.uleb128 0x03, 0x08, 0x3b, 0x0b, 0x20, 0x0b, 0, 0
	.uleb128 4, 0x1d		# DW_TAG_inlined_subroutine: origin, from, size, file and line of the call, its discriminator
	.byte 0
	.uleb128 0x31, 0x13, 0x11, 0x01, 0x12, 0x06, 0x58, 0x0b, 0x59, 0x0b, 0x2136, 0x0b, 0, 0
	.byte 0

	.section .debug_info, "", @progbits
.Linfo:
	.long .Linfo_end - .Lversion
.Lversion:
	.short 4
	.long .Labbrev
	.byte 8
	.uleb128 1
	.long .Lline
	.quad .Ltext
	.long .Ltext_end - .Ltext
	.asciz "work.c"
.Lstep:
	.uleb128 3
	.asciz "step"
	.byte 20, 1
	.uleb128 2
	.asciz "hot"
	.byte 10
	.quad hot
	.long .Lhot_end - hot
	.uleb128 4
	.long .Lstep - .Linfo
	.quad .Lh3
	.long .Lh4 - .Lh3
	.byte 1, 13, 4			# the second part of line 13
	.byte 0
	.uleb128 2
	.asciz "_start"
	.byte 30
	.quad _start
	.long .Ltext_end - _start
	.byte 0
	.byte 0
.Linfo_end:

	.section .debug_line, "", @progbits
.Lline:
