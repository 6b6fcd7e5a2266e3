/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which interpreter to record where none was named. */
#ifndef VM_VM_CHOOSE_H
#define VM_VM_CHOOSE_H

#include "vm.h"

/* That of the first of the NR processes or threads IDS that has one mapped; NULL: none has. */
const struct vm *vm_choose(const uint32_t *ids, size_t nr);

#endif
