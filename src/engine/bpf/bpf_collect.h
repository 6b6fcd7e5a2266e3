/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From the built-in engine's sums to a recording. */
#ifndef ENGINE_BPF_BPF_COLLECT_H
#define ENGINE_BPF_BPF_COLLECT_H

#include "copies.h"
#include "loader.h"
#include "sums.h"
#include "vm/perl/perls.h"
#include "vm/vm.h"

struct bpf_collected {
	const struct processes *ps;
	struct loader *loader;
	struct sums *sums;
	const struct copies *copies;
	const struct perls *perls;
	const struct vm *vm;       /* whose stacks were walked, NULL: none */
	const struct kallsyms *ks; /* NULL: kernel frames have no names */
	uint64_t divisor;          /* from the sums to the event's unit */
};

/* Adds tasks, stacks and rows to REC, rows heaviest first. */
void bpf_collect(const struct bpf_collected *from, uint32_t event, struct recording *rec);

#endif
