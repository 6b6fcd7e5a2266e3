/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rules for splicing PHP's frames into the native stack, where they replace the frames of
 * execute_ex(). Each of its frames runs the calls from one with the flag PHP_TOP on: scripts,
 * functions that C has called, and generators. Functions in C are on the run that has called them.
 */
#ifndef RUNTIME_PHP_PHP_SPLICE_H
#define RUNTIME_PHP_PHP_SPLICE_H

#include "runtime/splice.h"

extern const struct splice_rules php_splice;

#endif
