/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Locates thread-local variables in a process. */
#ifndef RUNTIME_THREAD_VARIABLE_H
#define RUNTIME_THREAD_VARIABLE_H

#include "pointer_path.h"
#include "process/target.h"

/*
 * Sets *PATH to the path to the word in the thread-local variable NAME of FILE, which is mapped in
 * T. Returns false if FILE does not tell where its code finds the variable, if the process cannot
 * be read, or if its C library is not known.
 */
bool thread_variable_path(const struct target *t, const struct target_file *file, const char *name,
	struct pointer_path *path);

#endif
