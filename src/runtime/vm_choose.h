/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Chooses the interpreter to record if none was named. */
#ifndef RUNTIME_VM_CHOOSE_H
#define RUNTIME_VM_CHOOSE_H

#include "vm.h"

/*
 * Returns the interpreter of the first of the NR processes or threads IDS that has one mapped, or
 * NULL.
 */
const struct vm *vm_choose(const uint32_t *ids, size_t nr);

#endif
