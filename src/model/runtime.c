/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "runtime.h"
#include "lib/util.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

static const struct {
	const char *begin; /* beginning of a name; a version may follow */
	enum runtime runtime;
} files[] = {
	{"beam", RUNTIME_ERLANG},
	{"dotnet", RUNTIME_DOTNET},
	{"guile", RUNTIME_GUILE},
	{"java", RUNTIME_JAVA},
	{"libcoreclr.so", RUNTIME_DOTNET},
	{"libguile", RUNTIME_GUILE},
	{"libjvm.so", RUNTIME_JAVA},
	{"libluajit", RUNTIME_LUAJIT},
	{"libnode.so", RUNTIME_NODE},
	{"libphp", RUNTIME_PHP},
	{"libpypy", RUNTIME_PYPY},
	{"libpython", RUNTIME_PYTHON},
	{"libruby", RUNTIME_RUBY},
	{"luajit", RUNTIME_LUAJIT},
	{"node", RUNTIME_NODE},
	{"nodejs", RUNTIME_NODE},
	{"php", RUNTIME_PHP},
	{"pypy", RUNTIME_PYPY},
	{"python", RUNTIME_PYTHON},
	{"qemu-", RUNTIME_QEMU}, /* followed by the name of a machine */
	{"ruby", RUNTIME_RUBY},
};

static const struct {
	const char *name;
	const char *names, *stacks; /* remedies */
} runtimes[RUNTIMES] = {
	[RUNTIME_DOTNET] = {".NET", "start it with DOTNET_PerfMapEnabled=1 in its environment",
		NULL},
	/* Erlang's frame pointers are a chain in the heap, not the stack */
	[RUNTIME_ERLANG] = {"Erlang", "start erl with +JPperf true", NULL},
	[RUNTIME_GUILE] = {"Guile", NULL,
		"GUILE_JIT_THRESHOLD=-1 in its environment makes it interpret instead"},
	[RUNTIME_JAVA] = {"Java",
		"record before it ends and without --no-jvm, or start java with "
		"-XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit (Java 17)",
		"start java with -XX:+PreserveFramePointer"},
	[RUNTIME_LUAJIT] = {"LuaJIT", "build LuaJIT with -DLUAJIT_USE_PERFTOOLS",
		"luajit -joff interprets instead"},
	[RUNTIME_NODE] = {"node", "start node with --perf-basic-prof", NULL},
	[RUNTIME_PHP] = {"PHP", "set opcache.jit_debug=0x10 in php.ini", NULL},
	[RUNTIME_PYPY] = {"PyPy", NULL, "pypy3 --jit off interprets instead"},
	[RUNTIME_PYTHON] = {"Python", "start python with -X perf (Python 3.12)", NULL},
	[RUNTIME_QEMU] = {"QEMU", "start qemu with -perfmap (QEMU 8.0)", NULL},
	[RUNTIME_RUBY] = {"Ruby", "start ruby with --yjit-perf (Ruby 3.3)",
		"start ruby with --yjit-perf (Ruby 3.3)"},
};

enum runtime runtime_of(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		size_t len = strlen(files[i].begin);

		if (strncmp(name, files[i].begin, len))
			continue;
		if (files[i].begin[len - 1] == '-' ||
			(!isalpha((unsigned char)name[len]) && name[len] != '_'))
			return files[i].runtime;
	}
	return RUNTIME_UNKNOWN;
}

const char *runtime_name(enum runtime runtime)
{
	return runtimes[runtime].name;
}

const char *runtime_names_remedy(enum runtime runtime)
{
	return runtimes[runtime].names;
}

const char *runtime_stacks_remedy(enum runtime runtime)
{
	return runtimes[runtime].stacks;
}
