/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "at_functions.h"
#include "at_files.h"
#include "at_sites.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "symbol/elf/elffacts.h"

/* Adds the function NAME of FILE, if it has one. */
static void add(struct at_sites *sites, const char *name, const struct at_file *file)
{
	struct at_site site = {.file = file};
	struct elf_variable function;

	if (!elffacts_variable(file->elf, name, &function) || function.per_thread ||
		!elffile_code_at(file->elf, function.address, 0, &site.offset))
		return;
	site.address = function.address;
	at_sites_add(sites, &site);
}

int at_functions_find(struct at_sites *sites, const struct probe *probe,
	const struct at_files *files, struct strbuf *err)
{
	for (size_t i = 0; i < files->nr; i++)
		add(sites, probe->name, &files->list[i]);
	if (sites->nr)
		return 0;
	return fail(err, "cannot probe %s: %s has no symbol %s, or is stripped", probe->text,
		files->nr == 1 ? files->list->name : "no file of this name", probe->name);
}
