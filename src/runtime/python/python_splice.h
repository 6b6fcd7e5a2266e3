/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rules for splicing Python's frames into the native stack. Each call of _PyEval_EvalFrameDefault
 * runs one frame up to 3.10, and since 3.11 a frame that C code has called with those that it calls
 * itself. Python's frames replace that function.
 */
#ifndef RUNTIME_PYTHON_PYTHON_SPLICE_H
#define RUNTIME_PYTHON_PYTHON_SPLICE_H

#include "runtime/splice.h"

extern const struct splice_rules python_splice;

#endif
