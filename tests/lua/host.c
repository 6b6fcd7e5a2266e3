/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A program with LuaJIT inside: host SCRIPT ARG…. The script has a table `host`: call(f, …) calls f
 * from C, resume(f) runs it as a coroutine that C resumes; names has the C functions' symbols.
 * arg[0] is SCRIPT. */
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <stdio.h>

int host_call(lua_State *L);
int host_resume(lua_State *L);

int host_call(lua_State *L)
{
	lua_call(L, lua_gettop(L) - 1, 0);
	return 0;
}

int host_resume(lua_State *L)
{
	lua_State *thread = lua_newthread(L);

	lua_insert(L, 1);
	lua_xmove(L, thread, 1);
	if (lua_resume(thread, 0) > LUA_YIELD)
		return luaL_error(L, "%s", lua_tostring(thread, -1));
	return 0;
}

static void add_function(lua_State *L, const char *name, const char *symbol, lua_CFunction function)
{
	lua_pushcfunction(L, function);
	lua_pushvalue(L, -1);
	lua_setfield(L, -4, name);
	lua_pushstring(L, symbol);
	lua_settable(L, -3);
}

int main(int argc, char **argv)
{
	lua_State *L = luaL_newstate();

	if (argc < 2 || !L)
		return 2;
	luaL_openlibs(L);
	lua_newtable(L);
	lua_newtable(L);
	add_function(L, "call", "host_call", host_call);
	add_function(L, "resume", "host_resume", host_resume);
	lua_setfield(L, -2, "names");
	lua_setglobal(L, "host");
	lua_newtable(L);
	lua_pushstring(L, argv[1]);
	lua_rawseti(L, -2, 0);
	lua_setglobal(L, "arg");
	if (luaL_loadfile(L, argv[1])) {
		fprintf(stderr, "host: %s\n", lua_tostring(L, -1));
		return 2;
	}
	for (int i = 2; i < argc; i++)
		lua_pushstring(L, argv[i]);
	if (lua_pcall(L, argc - 2, 0, 0)) {
		fprintf(stderr, "host: %s\n", lua_tostring(L, -1));
		return 1;
	}
	lua_close(L);
	return 0;
}
