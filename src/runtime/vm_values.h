/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The layouts of interpreters in processes as variables of a stap script, each a list separated by
 * dots. Equal entries are stored once.
 */
#ifndef RUNTIME_VM_VALUES_H
#define RUNTIME_VM_VALUES_H

#include "lib/argv.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct vm_values {
	struct vm_value {
		const char *name;
		char **list;
		size_t nr, alloc;
		size_t len; /* of all entries, with the dots */
	} * vars;
	size_t nr, alloc;
};

void vm_values_release(struct vm_values *v);

/*
 * Returns the number, from 1, of TEXT in the variable NAME, to which it is added if it is new.
 * Returns 0 if there is no room. NAME must outlive V.
 */
size_t vm_values_put(struct vm_values *v, const char *name, const char *text);

/*
 * Adds to the variable NAME that process PID has the entry NUMBER of another variable. Returns
 * false if there is no room, or if NUMBER is 0, as there was none for the entry.
 */
bool vm_values_put_process(struct vm_values *v, const char *name, uint32_t pid, size_t number);

/* Adds "NAME=VALUE" of each variable to ARGV. */
void vm_values_give(const struct vm_values *v, struct argv *argv);

#endif
