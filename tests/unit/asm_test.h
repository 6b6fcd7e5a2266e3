/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For tests whose functions are assembly with its own unwind data. */
#ifndef TESTS_UNIT_ASM_TEST_H
#define TESTS_UNIT_ASM_TEST_H

/* Begins the text with two macros: "begin NAME" and "end NAME" enclose a function. */
#define ASM_FUNCTIONS                                                                              \
	".text\n"                                                                                  \
	".macro begin name\n.globl \\name\n.type \\name, @function\n\\name: "                      \
	".cfi_startproc\n.endm\n"                                                                  \
	".macro end name\n.cfi_endproc\n.size \\name, . - \\name\n.endm\n"

#endif
