/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "puc_find.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "puc_library.h"
#include "symbol/elf/elffacts.h"
#include "runtime/target_facts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/*
 * lua_ident is a text with the version, "$LuaVersion: Lua 5.4.4  Copyright…". Libraries in C++ do
 * not export it; they are recognized by lua_cpcall, which only 5.1 and LuaJIT have.
 */
static const char ident[] = "lua_ident", cpcall[] = "lua_cpcall", luajit[] = "luaJIT_setmode";

enum { IDENT_BYTES = 48 };

static bool exports(const struct target_file *file, const char *name)
{
	struct elf_variable unused;

	return elffacts_variable(file->elf, name, &unused);
}

static void ask_files(const struct target *t)
{
	static const char *const names[] = {ident, cpcall, luajit, NULL};

	target_facts_ask(t, names, NULL);
}

const struct target_file *puc_file(const struct target *t)
{
	for (size_t i = 0; i < t->nr_files; i++) {
		const struct target_file *file = &t->files[i];

		if (exports(file, ident) || (exports(file, cpcall) && !exports(file, luajit)))
			return file;
	}
	return NULL;
}

/* Reads the version in TEXT. Returns false if TEXT is not from PUC Lua. */
static bool read_version(const char *text, struct puc_layout *l)
{
	const char *version = strstr(text, "Lua 5.");

	if (*text != '$' || !version)
		return false;
	version += strlen("Lua 5.");
	if (*version < '0' || *version > '9' || version[1] != '.' || version[2] < '0' ||
		version[2] > '9')
		return false;
	l->minor = (uint8_t)(*version - '0');
	l->release = (uint8_t)(version[2] - '0');
	return true;
}

int puc_find(const struct target *t, struct puc_layout *layout, struct strbuf *err)
{
	const struct target_file *file;
	struct elf_variable text;
	char bytes[IDENT_BYTES + 1] = "";
	const struct puc_shape *shape;

	ask_files(t);
	file = puc_file(t);
	*layout = (struct puc_layout){.minor = 1, .release = PUC_ANY_RELEASE};
	if (!file)
		return 1;
	if (elffacts_variable(file->elf, ident, &text)) {
		if (!memory_read(&t->memory, text.address + file->bias, bytes, IDENT_BYTES))
			return target_refuse(file, "Lua", err);
		if (!read_version(bytes, layout))
			return 1;
	}
	shape = puc_shape(layout->minor, layout->release);
	if (!shape)
		return fail(err,
			"Lua 5.%u.%u in '%s' is not supported: 5.1 and 5.5 are, 5.2 from 5.2.1 "
			"on, 5.3 from 5.3.3 on, and 5.4 from 5.4.3 on",
			layout->minor, layout->release, file->path);
	layout->shape = *shape;
	layout->bias = file->bias;
	layout->functions = puc_library_learn(file, &t->memory);
	return 0;
}

void puc_describe(const struct puc_layout *l, const char *path, uint32_t pid, struct strbuf *out)
{
	strbuf_addf(out, "Lua 5.%u", l->minor);
	if (l->release != PUC_ANY_RELEASE)
		strbuf_addf(out, ".%u", l->release);
	strbuf_addf(out, " in '%s' of process %" PRIu32, path, pid);
}
