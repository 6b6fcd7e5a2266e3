/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Perl's row in the table of interpreters. */
#include "perl.h"
#include "perl_splice.h"

const struct vm perl_vm = {
	.name = "perl",
	.kind = VM_PERL,
	.stack = STACK_PERL,
	.frame = FRAME_PERL,
	.splice = &perl_splice,
};
