/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vm.h"

#include <string.h>

#define VM_ADDRESS_OF(KIND, name) &name##_vm,
const struct vm *const vms[NR_VMS] = {VM_LIST(VM_ADDRESS_OF)};

const struct vm *vm_named(const char *name, size_t len)
{
	for (size_t i = 0; i < NR_VMS; i++)
		if (strlen(vms[i]->language->name) == len &&
			!memcmp(vms[i]->language->name, name, len))
			return vms[i];
	return NULL;
}

const struct vm *vm_of_letter(char letter)
{
	for (size_t i = 0; i < NR_VMS; i++)
		if (vms[i]->language->letter == letter)
			return vms[i];
	return NULL;
}

const struct vm *vm_of_stack(enum stack_kind kind)
{
	const struct language *language = stack_language(kind);

	for (size_t i = 0; language && i < NR_VMS; i++)
		if (vms[i]->language == language)
			return vms[i];
	return NULL;
}
