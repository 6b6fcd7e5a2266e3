/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "target_facts.h"
#include "lib/util.h"
#include "symbol/elf/elffacts.h"

#include <stdlib.h>

void target_facts_ask(const struct target *t, const char *const *names, const char *per_thread)
{
	struct elf_question *list = NULL;
	size_t nr = 0, alloc = 0;

	for (size_t i = 0; i < t->nr_files; i++) {
		const struct elffile *elf = t->files[i].elf;

		for (const char *const *name = names; *name; name++) {
			ALLOC_GROW(list, nr, alloc);
			list[nr++] = (struct elf_question){elf, FACT_VARIABLE, *name, 0, NULL};
		}
		if (!per_thread)
			continue;
		ALLOC_GROW(list, nr, alloc);
		list[nr++] = (struct elf_question){elf, FACT_THREAD_PLACE, per_thread, 0, NULL};
	}
	elffacts_ask(list, nr);
	free(list);
}
