/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vm_choose.h"
#include "process/process.h"
#include "symbol/elf/elffacts.h"

static const struct vm *vm_in(const struct processes *ps, const struct process *p)
{
	struct elf_variable unused;

	for (size_t i = 0; i < p->nr_maps; i++) {
		const struct elffile *elf = ps->objects[ps->maps[p->maps[i]].object].elf;

		for (size_t v = 0; elf && v < NR_VMS; v++)
			if (elffacts_variable(elf, vms[v]->symbol, &unused))
				return vms[v];
	}
	return NULL;
}

const struct vm *vm_choose(const uint32_t *ids, size_t nr)
{
	const struct vm *vm = NULL;
	struct processes ps;

	processes_init(&ps);
	for (size_t i = 0; i < nr && !vm; i++)
		vm = vm_in(&ps, processes_get(&ps, ids[i]));
	processes_release(&ps);
	return vm;
}
