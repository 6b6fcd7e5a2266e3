/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "runtime.h"

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* One row for each runtime that programs are told about. */
static const struct {
	const char *name;
	/* The beginnings of the names of its files and threads; a version may follow. */
	const char *files[4];
	const char *names, *stacks; /* remedies */
	bool interprets;
	const char *option; /* that records its functions, or NULL */
} runtimes[RUNTIMES] = {
	[RUNTIME_DOTNET] = {".NET", {"dotnet", "libcoreclr.so"},
		"start it with DOTNET_PerfMapEnabled=1 in its environment", NULL},
	/* Erlang's frame pointers are a chain in the heap, not the stack */
	[RUNTIME_ERLANG] = {"Erlang", {"beam"}, "start erl with +JPperf true", NULL},
	[RUNTIME_GUILE] = {"Guile", {"guile", "libguile"}, NULL,
		"GUILE_JIT_THRESHOLD=-1 in its environment makes it interpret instead"},
	[RUNTIME_JAVA] = {"Java", {"java", "libjvm.so"},
		"record before it ends and without --no-jvm, or start java with "
		"-XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit (Java 17)",
		"start java with -XX:+PreserveFramePointer"},
	[RUNTIME_LUAJIT] = {"LuaJIT", {"libluajit", "luajit"},
		"build LuaJIT with -DLUAJIT_USE_PERFTOOLS", "luajit -joff interprets instead"},
	[RUNTIME_NODE] = {"node", {"libnode.so", "node", "nodejs"},
		"start node with --perf-basic-prof --interpreted-frames-native-stack; or with "
		"--cpu-prof, whose .cpuprofile bt-flame reads, with inlined functions",
		NULL, true},
	[RUNTIME_PHP] = {"PHP", {"libphp", "php"}, "set opcache.jit_debug=0x10 in php.ini", NULL,
		true, "--php"},
	[RUNTIME_PYPY] = {"PyPy", {"libpypy", "pypy"}, NULL, "pypy3 --jit off interprets instead",
		true},
	[RUNTIME_PYTHON] = {"Python", {"libpython", "python"},
		"start python with -X perf (Python 3.12)", NULL, true, "--python"},
	/* followed by the name of a machine */
	[RUNTIME_QEMU] = {"QEMU", {"qemu-"}, "start qemu with -perfmap (QEMU 8.0)", NULL},
	[RUNTIME_RUBY] = {"Ruby", {"libruby", "ruby"}, "start ruby with --yjit-perf (Ruby 3.3)",
		"start ruby with --yjit-perf (Ruby 3.3)", true, "--ruby"},
	[RUNTIME_LUA] = {"Lua", {"lua", "liblua"}, NULL, NULL, true, "--lua"},
	[RUNTIME_PERL] = {"Perl", {"perl", "libperl"}, NULL, NULL, true, "--perl"},
};

static bool is_name(const char *name, const char *begin)
{
	size_t len = strlen(begin);

	if (strncmp(name, begin, len))
		return false;
	return begin[len - 1] == '-' || (!isalpha((unsigned char)name[len]) && name[len] != '_');
}

enum runtime runtime_of(const char *name)
{
	for (int i = 0; i < RUNTIMES; i++)
		for (const char *const *file = runtimes[i].files; *file; file++)
			if (is_name(name, *file))
				return (enum runtime)i;
	return RUNTIME_UNKNOWN;
}

const char *runtime_name(enum runtime runtime)
{
	return runtimes[runtime].name;
}

bool runtime_interprets(enum runtime runtime)
{
	return runtimes[runtime].interprets;
}

const char *runtime_names_remedy(enum runtime runtime)
{
	return runtimes[runtime].names;
}

const char *runtime_option(enum runtime runtime)
{
	return runtimes[runtime].option;
}

const char *runtime_stacks_remedy(enum runtime runtime)
{
	return runtimes[runtime].stacks;
}

bool runtime_is_text(const char *source)
{
	static const char code[] = " code";
	size_t len = strlen(source), end = sizeof(code) - 1;

	return !*source || strchr("([<-", *source) ||
	       (len > end && !strcmp(source + len - end, code));
}
