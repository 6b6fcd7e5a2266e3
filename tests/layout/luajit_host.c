/* SPDX-License-Identifier: GPL-2.0-or-later */
/* luajit_host LIBRARY SCRIPT: runs a Lua script by that libluajit. */
#include <dlfcn.h>
#include <stdio.h>

static void *library;

static void *function(const char *name)
{
	return dlsym(library, name);
}

int main(int argc, char **argv)
{
	library = argc > 2 ? dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL) : NULL;
	if (!library) {
		fprintf(stderr, "luajit_host: %s\n", argc > 2 ? dlerror() : "usage");
		return 64;
	}
	void *(*newstate)(void) = function("luaL_newstate");
	void (*openlibs)(void *) = function("luaL_openlibs");
	int (*loadfile)(void *, const char *) = function("luaL_loadfile");
	int (*pcall)(void *, int, int, int) = function("lua_pcall");
	void *l = newstate();

	openlibs(l);
	return loadfile(l, argv[2]) || pcall(l, 0, 0, 0);
}
