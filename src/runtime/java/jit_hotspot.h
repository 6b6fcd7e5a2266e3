/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The code of Java: methods and stubs that the HotSpot JVM has compiled, and its interpreter. */
#ifndef RUNTIME_JAVA_JIT_HOTSPOT_H
#define RUNTIME_JAVA_JIT_HOTSPOT_H

#include "runtime/native.h"

enum jvm_state {
	JVM_STATE_NONE,
	JVM_STATE_YOUNG,   /* it is not initialised yet */
	JVM_STATE_REFUSES, /* it was started with -XX:+DisableAttachMechanism */
	JVM_STATE_READY,   /* it takes requests */
};

/* Returns the state that the JVM's memory tells. RUNTIME is a mapping of libjvm.so. */
enum jvm_state jit_hotspot_state(
	const struct processes *ps, const struct process *p, const struct mapping *runtime);

#endif
