/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "at_syscalls.h"
#include "at.h"
#include "lib/pattern.h"
#include "lib/util.h"

#include <bpf/bpf.h>
#include <string.h>

static const struct syscall_number {
	const char *name;
	uint32_t number;
} numbers[] = {
#include "tool/syscalls.inc"
};

size_t at_syscalls_choose(int map, const char *pattern, uint32_t probe)
{
	size_t nr = 0;

	for (size_t i = 0; i < ARRAY_LEN(numbers); i++) {
		const struct syscall_number *s = &numbers[i];
		uint32_t takers = 0;

		if (s->number >= AT_SYSCALLS ||
			!pattern_or_name_matches(pattern, s->name, strlen(s->name)))
			continue;
		bpf_map_lookup_elem(map, &s->number, &takers);
		takers |= 1U << probe;
		nr += !bpf_map_update_elem(map, &s->number, &takers, BPF_ANY);
	}
	return nr;
}
