/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The layout of CPython in a process, for user space and the BPF programs. */
#ifndef RUNTIME_PYTHON_PYTHON_LAYOUT_H
#define RUNTIME_PYTHON_PYTHON_LAYOUT_H

#include "python_shape.h"

struct python_layout {
	uint64_t interpreters; /* address of the pointer to the first interpreter */
	uint64_t code_type;    /* address of PyCode_Type, the type of code objects */
	/* Address of the pointer to the thread state that holds the GIL, before 3.12; or 0. */
	uint64_t current;
	uint8_t minor, micro; /* 3.MINOR.MICRO; MICRO is ANY_MICRO before 3.11 */
	bool published;       /* the offsets come from _Py_DebugOffsets */
	struct python_shape shape;
};

enum { PYTHON_ANY_MICRO = UINT8_MAX };

#endif
