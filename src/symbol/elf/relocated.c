/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "relocated.h"
#include "inflated.h"
#include "lib/util.h"

#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <unistd.h>

struct relocated {
	Dwfl *dwfl;
	Elf *elf;
};

/* Finds no file, so that nothing but the file itself is opened. */
static int find_no_file(Dwfl_Module *mod, void **userdata, const char *name, Dwarf_Addr base,
	char **path, Elf **elf)
{
	(void)mod, (void)userdata, (void)name, (void)base, (void)path, (void)elf;
	return -1;
}

static int find_no_debug_file(Dwfl_Module *mod, void **userdata, const char *name, Dwarf_Addr base,
	const char *path, const char *link, GElf_Word crc, char **debug_path)
{
	(void)mod, (void)userdata, (void)name, (void)base, (void)path, (void)link, (void)crc,
		(void)debug_path;
	return -1;
}

static const Dwfl_Callbacks callbacks = {
	.find_elf = find_no_file,
	.find_debuginfo = find_no_debug_file,
	.section_address = dwfl_offline_section_address,
};

/* Takes ownership of FD unless it returns NULL. */
static Dwfl_Module *report(Dwfl *dwfl, int fd)
{
	Dwfl_Module *module;

	dwfl_report_begin(dwfl);
	module = dwfl_report_offline(dwfl, "module", "module", fd);
	return dwfl_report_end(dwfl, NULL, NULL) ? NULL : module;
}

/* Returns the file. Asking libdwfl for its debug information relocates it. */
static Elf *relocate(Dwfl_Module *module)
{
	Dwarf_Addr bias;
	Dwarf *dwarf = dwfl_module_getdwarf(module, &bias);
	Elf *elf = dwarf ? dwarf_getelf(dwarf) : NULL;
	GElf_Ehdr ehdr;

	return elf && gelf_getehdr(elf, &ehdr) && ehdr.e_type == ET_REL ? elf : NULL;
}

struct relocated *relocated_open(int fd)
{
	struct relocated *r = xcalloc(1, sizeof(*r));
	int own = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	Dwfl_Module *module;

	r->dwfl = own < 0 || !inflated_file_is_sane(fd) ? NULL : dwfl_begin(&callbacks);
	module = r->dwfl ? report(r->dwfl, own) : NULL;
	if (!module && own >= 0)
		close(own);
	r->elf = module ? relocate(module) : NULL;
	if (r->elf)
		return r;
	relocated_close(r);
	return NULL;
}

void relocated_close(struct relocated *r)
{
	if (r->dwfl)
		dwfl_end(r->dwfl);
	free(r);
}

Elf *relocated_elf(const struct relocated *r)
{
	return r->elf;
}
