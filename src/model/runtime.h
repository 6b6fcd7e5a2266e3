/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The runtimes that generate code at run time or switch stacks, and their options for profilers.
 * Also included by the BPF programs.
 */
#ifndef MODEL_RUNTIME_H
#define MODEL_RUNTIME_H

#include <stdbool.h>

/* Unwind tables have these numbers, see UNWIND_VERSION. */
enum runtime {
	RUNTIME_UNKNOWN,
	RUNTIME_DOTNET,
	RUNTIME_ERLANG,
	RUNTIME_GO,
	RUNTIME_GUILE,
	RUNTIME_JAVA,
	RUNTIME_LUAJIT,
	RUNTIME_NODE,
	RUNTIME_PCRE,
	RUNTIME_PHP,
	RUNTIME_PYPY,
	RUNTIME_PYTHON,
	RUNTIME_QEMU,
	RUNTIME_RUBY,
	RUNTIME_LUA,
	RUNTIME_PERL,
	RUNTIMES,
};

/* Returns the runtime by the name of a thread, or of a mapped file without its folder. */
enum runtime runtime_of(const char *name);

const char *runtime_name(enum runtime runtime);

/* Whether it interprets programs, whose functions are not in stacks of C. */
bool runtime_interprets(enum runtime runtime);

/*
 * Return what makes the names of its functions available, or its stacks whole, or NULL if nothing
 * is known.
 */
const char *runtime_names_remedy(enum runtime runtime);
const char *runtime_stacks_remedy(enum runtime runtime);

/* Returns the option that records the functions that it interprets, or NULL if there is none. */
const char *runtime_option(enum runtime runtime);

/*
 * Returns whether SOURCE is what an interpreter calls a text that it has not read from a file, such
 * as an eval: in brackets of some kind, like an option of a command line, or "... code".
 */
bool runtime_is_text(const char *source);

#endif
