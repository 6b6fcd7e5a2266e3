/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vm.h"
#include "lib/strbuf.h"

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

const struct vm *vm_of_kind(enum vm_kind kind)
{
	return kind > VM_NONE && kind < VM_KINDS ? vms[kind - 1] : NULL;
}

const struct vm *vm_first(uint32_t kinds)
{
	for (size_t i = 0; i < NR_VMS; i++)
		if (kinds & VM_BIT(vms[i]->kind))
			return vms[i];
	return NULL;
}

const struct vm *vm_only(uint32_t kinds)
{
	const struct vm *vm = vm_first(kinds);

	return vm && kinds == VM_BIT(vm->kind) ? vm : NULL;
}

uint32_t vm_by_native(uint32_t kinds)
{
	uint32_t by_native = 0;

	for (size_t i = 0; i < NR_VMS; i++)
		if (vms[i]->by_native)
			by_native |= VM_BIT(vms[i]->kind);
	return kinds & by_native;
}

bool vm_needs_bpf(uint32_t kinds)
{
	const struct vm *vm = vm_only(kinds);

	return kinds && (!vm || !vm->add_values || vm->alone_in_script);
}

bool vm_have_operators(uint32_t kinds)
{
	for (size_t i = 0; i < NR_VMS; i++)
		if (kinds & VM_BIT(vms[i]->kind) && vms[i]->operator_name)
			return true;
	return false;
}

void vm_add_titles(uint32_t kinds, struct strbuf *out)
{
	const char *before = "";

	for (const struct vm *vm; (vm = vm_first(kinds)); before = vm_only(kinds) ? " or " : ", ") {
		strbuf_addf(out, "%s%s", before, vm->language->title);
		kinds &= ~VM_BIT(vm->kind);
	}
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
