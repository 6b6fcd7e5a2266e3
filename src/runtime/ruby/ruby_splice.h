/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rules for splicing Ruby's frames into the native stack. Each frame that C code has called, which
 * Ruby marks, is begun by a run loop, vm_exec(); so loops and beginners correspond one to one, but
 * for the moments in which a loop begins or ends. A fiber runs on a stack of its own.
 */
#ifndef RUNTIME_RUBY_RUBY_SPLICE_H
#define RUNTIME_RUBY_RUBY_SPLICE_H

#include "runtime/splice.h"

extern const struct splice_rules ruby_splice;

#endif
