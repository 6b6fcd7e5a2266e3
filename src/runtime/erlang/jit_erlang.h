/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds how to unwind Erlang's compiled code, by the code that runs its processes. */
#ifndef RUNTIME_ERLANG_JIT_ERLANG_H
#define RUNTIME_ERLANG_JIT_ERLANG_H

#include "erlang_layout.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Reads the SIZE bytes of CODE at ADDRESS, where compiled code begins. Returns false if the code is
 * not understood.
 */
bool jit_erlang_read(
	const uint8_t *code, size_t size, uint64_t address, struct erlang_layout *layout);

#endif
