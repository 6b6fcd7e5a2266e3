/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The code of Java: methods and stubs that the HotSpot JVM has compiled, and its interpreter. */
#ifndef ENGINE_JIT_JIT_HOTSPOT_H
#define ENGINE_JIT_JIT_HOTSPOT_H

#include "jit_find.h"

/* RUNTIME: a mapping of libjvm.so. */
enum jit_found jit_hotspot_find(const struct processes *ps, const struct process *p,
	const struct mapping *runtime, struct jit_layout *layout);

#endif
