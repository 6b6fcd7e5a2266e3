/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vm.h"

#include <string.h>

#define VM_ADDRESS_OF(KIND, name) &name##_vm,
const struct vm *const vms[NR_VMS] = {VM_LIST(VM_ADDRESS_OF)};

const struct vm *vm_named(const char *name, size_t len)
{
	for (size_t i = 0; i < NR_VMS; i++)
		if (strlen(vms[i]->name) == len && !memcmp(vms[i]->name, name, len))
			return vms[i];
	return NULL;
}

const struct vm *vm_of_letter(char letter)
{
	for (size_t i = 0; i < NR_VMS; i++)
		if (vms[i]->letter == letter)
			return vms[i];
	return NULL;
}

const struct vm *vm_of_stack(enum stack_kind kind)
{
	for (size_t i = 0; i < NR_VMS; i++)
		if (vms[i]->stack == kind)
			return vms[i];
	return NULL;
}
