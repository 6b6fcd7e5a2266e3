/* SPDX-License-Identifier: GPL-2.0-or-later */
/* asm SECONDS FRAME…: calls these functions of asm-frames.S in this order. The last one may be a
 * leaf; otherwise spin is the leaf. */
#include "case.h"

#include <string.h>

/* A frame calls its argument; a leaf spins until *arg is not 0. */
typedef void frame(void (*next)(void));
typedef void leaf(volatile sig_atomic_t *over);

frame cfa_rbx, cfa_deref, no_cfi_fp, no_cfi, no_cfi_stale;
leaf leaf_rax, leaf_r10, leaf_kept, leaf_saved, leaf_no_cfi;

static const struct {
	const char *name;
	frame *frame;
	leaf *leaf;
} functions[] = {
	{"cfa_rbx", cfa_rbx, NULL},
	{"cfa_deref", cfa_deref, NULL},
	{"no_cfi_fp", no_cfi_fp, NULL},
	{"no_cfi", no_cfi, NULL},
	{"no_cfi_stale", no_cfi_stale, NULL},
	{"leaf_rax", NULL, leaf_rax},
	{"leaf_r10", NULL, leaf_r10},
	{"leaf_kept", NULL, leaf_kept},
	{"leaf_saved", NULL, leaf_saved},
	{"leaf_no_cfi", NULL, leaf_no_cfi},
};

static char **names;

static NOINLINE void next(void)
{
	const char *name = *names++;

	for (unsigned i = 0; name && i < sizeof(functions) / sizeof(*functions); i++) {
		if (strcmp(name, functions[i].name))
			continue;
		if (functions[i].frame) {
			functions[i].frame(next);
		} else {
			case_ready();
			functions[i].leaf(&burn_over);
		}
		NO_TAIL_CALL;
		return;
	}
	if (name)
		_exit(64);
	spin();
	NO_TAIL_CALL;
}

int main(int argc, char **argv)
{
	burn_init(argc, argv);
	names = argv + (argc > 1 ? 2 : 1);
	next();
	return 0;
}
