/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options of sample-bt that do not depend on the script. */
#ifndef RECORD_OPTIONS_TABLE_H
#define RECORD_OPTIONS_TABLE_H

#include "view/args/arg_parse.h"

extern const struct arg_option options_rows[]; /* ended by a row of zeros, which is counted */
extern const size_t options_nr_rows;
extern const struct arg_elsewhere options_elsewhere[];

/* The values of --engine, ended by NULL. */
extern const char *const options_engines[];

/* Returns whether PATH names a kernel module, which only --compile-only writes. */
bool options_is_module(const char *path);

/* Returns whether a script file may have this name, which is also part of the module's name. */
bool options_is_script_name(const char *name);

#endif
