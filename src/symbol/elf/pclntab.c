/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pclntab.h"
#include "arch/x86_64/elf_names.h"
#include "elffile_internal.h"
#include "lib/util.h"

#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 32, HEADER = 8, NAME_MAX_BYTES = 1 << 14 /* with the NUL */ };

/*
 * The layout of a version: numbers of words in the header, and byte offsets in a function's
 * description.
 */
static const struct layout {
	uint32_t magic;
	unsigned int text; /* or 0 if addresses are absolute */
	unsigned int names, pctab, functions;
	unsigned int width; /* bytes of a number in the function table */
	unsigned int name, pcsp;
} layouts[] = {
	{0xfffffff1, 2, 3, 6, 7, 4, 4, 16}, /* Go 1.20 */
	{0xfffffff0, 2, 3, 6, 7, 4, 4, 16}, /* 1.18 */
	{0xfffffffa, 0, 2, 5, 6, 8, 8, 20}, /* 1.16 */
};

struct pclntab {
	const struct layout *layout;
	const unsigned char *data;
	size_t size;
	uint64_t text, nr;
	uint64_t names, pctab, functions; /* offsets */
};

static struct bytes from(const struct pclntab *tab, uint64_t at)
{
	return (struct bytes){
		.at = tab->data + (at < tab->size ? at : tab->size),
		.end = tab->data + tab->size,
	};
}

static uint64_t number_at(const struct pclntab *tab, uint64_t at, unsigned int size)
{
	struct bytes b = from(tab, at);

	return bytes_number(&b, size);
}

static uint64_t word(const struct pclntab *tab, unsigned int i)
{
	return number_at(tab, HEADER + 8 * (uint64_t)i, 8);
}

/*
 * Returns the layout of a header, which has a magic, two bytes of 0, the unit of addresses, and the
 * size of pointers.
 */
static const struct layout *layout_of(const unsigned char *header)
{
	static const unsigned char amd64[] = {0, 0, 1, 8};

	for (size_t i = 0; i < ARRAY_LEN(layouts); i++) {
		uint32_t magic = layouts[i].magic;
		unsigned char bytes[] = {
			magic & 0xff, magic >> 8 & 0xff, magic >> 16 & 0xff, magic >> 24};

		if (!memcmp(header, bytes, 4) && !memcmp(header + 4, amd64, 4))
			return &layouts[i];
	}
	return NULL;
}

/* Finds the first table in a section, and its ADDRESS in memory. */
static bool find_in(struct pclntab *tab, Elf *elf, const char *section, uint64_t *address)
{
	GElf_Shdr shdr;
	Elf_Scn *scn = elffile_section(elf, section, &shdr);
	Elf_Data *data = scn ? elf_rawdata(scn, NULL) : NULL;

	if (!data || !data->d_buf)
		return false;
	for (size_t at = 0; data->d_size >= HEADER && at <= data->d_size - HEADER;
		at += ALIGNMENT) {
		tab->layout = layout_of((const unsigned char *)data->d_buf + at);
		if (!tab->layout)
			continue;
		tab->data = (const unsigned char *)data->d_buf + at;
		tab->size = data->d_size - at;
		*address = shdr.sh_addr + at;
		return true;
	}
	return false;
}

/* Returns the addend of the relative relocation at ADDRESS, or 0 if there is none. */
static uint64_t relocated(Elf *elf, uint64_t address)
{
	GElf_Shdr shdr;
	Elf_Scn *scn = elffile_section(elf, ".rela.dyn", &shdr);
	Elf_Data *data = scn ? elf_getdata(scn, NULL) : NULL;
	GElf_Rela rela;

	for (int i = 0; data && gelf_getrela(data, i, &rela); i++)
		if (rela.r_offset == address && GELF_R_TYPE(rela.r_info) == RELOC_RELATIVE)
			return (uint64_t)rela.r_addend;
	return 0;
}

static uint64_t function_start(const struct pclntab *tab, uint64_t i)
{
	return tab->text +
	       number_at(tab, tab->functions + 2 * i * tab->layout->width, tab->layout->width);
}

static bool starts_function(const struct pclntab *tab, uint64_t address)
{
	for (uint64_t i = 0; i < tab->nr; i++)
		if (function_start(tab, i) == address)
			return true;
	return false;
}

/*
 * Returns the start of the text according to Go's description of the program, or 0 if it was not
 * found. The description begins with the address of the table, TABLE. See struct moduledata in Go's
 * runtime/symtab.go. It has a section of its own since Go 1.26.
 */
static uint64_t module_text(Elf *elf, uint64_t table)
{
	enum { TEXT = 22 }; /* words before the start of the text */
	GElf_Shdr shdr;
	Elf_Scn *scn = elffile_section(elf, ".go.module", &shdr);
	Elf_Data *data = scn ? elf_rawdata(scn, NULL) : NULL;
	uint64_t module[TEXT + 1];

	if (!data || !data->d_buf || data->d_size < sizeof(module))
		return 0;
	memcpy(module, data->d_buf, sizeof(module));
	if (le64toh(module[0]) == table)
		return le64toh(module[TEXT]);
	return relocated(elf, shdr.sh_addr) == table ? relocated(elf, shdr.sh_addr + 8 * TEXT) : 0;
}

/*
 * Finds the base of the functions' addresses. If the table and the program's description do not
 * have it, it is the start of .text, unless C startup code comes first. Therefore the entry point
 * must be the start of a function in this case.
 */
static bool find_text(struct pclntab *tab, Elf *elf, uint64_t address)
{
	unsigned int i = tab->layout->text;
	GElf_Shdr shdr;
	GElf_Ehdr ehdr;

	if (!i)
		return true;
	tab->text = word(tab, i);
	if (!tab->text)
		tab->text = relocated(elf, address + HEADER + 8 * i);
	if (!tab->text)
		tab->text = module_text(elf, address);
	if (tab->text)
		return true;
	if (!elffile_section(elf, ".text", &shdr) || !gelf_getehdr(elf, &ehdr))
		return false;
	tab->text = shdr.sh_addr;
	return starts_function(tab, ehdr.e_entry);
}

static bool read_header(struct pclntab *tab, Elf *elf, uint64_t address)
{
	uint64_t entry = 2 * (uint64_t)tab->layout->width;

	tab->nr = word(tab, 0);
	tab->names = word(tab, tab->layout->names);
	tab->pctab = word(tab, tab->layout->pctab);
	tab->functions = word(tab, tab->layout->functions);
	/* the table has one more number, which is the end of the last function */
	return tab->functions < tab->size && tab->nr < (tab->size - tab->functions) / entry &&
	       find_text(tab, elf, address);
}

struct pclntab *pclntab_new(const struct elffile *elf)
{
	static const char *const sections[] = {
		".gopclntab", ".data.rel.ro.gopclntab", ".data.rel.ro"};
	struct pclntab tab = {0}, *copy;
	uint64_t address;

	for (size_t i = 0; i < ARRAY_LEN(sections); i++) {
		if (!find_in(&tab, elffile_elf(elf), sections[i], &address) ||
			!read_header(&tab, elffile_elf(elf), address))
			continue;
		copy = xmalloc(sizeof(*copy));
		*copy = tab;
		return copy;
	}
	return NULL;
}

void pclntab_free(struct pclntab *tab)
{
	free(tab);
}

uint64_t pclntab_count(const struct pclntab *tab)
{
	return tab->nr;
}

/* Returns the name at offset AT, or NULL if it is too long. */
static const char *name_at(const struct pclntab *tab, uint64_t at)
{
	struct bytes b = from(tab, at);
	size_t room = (size_t)(b.end - b.at);

	return memchr(b.at, '\0', room < NAME_MAX_BYTES ? room : NAME_MAX_BYTES)
		       ? (const char *)b.at
		       : NULL;
}

struct pclntab_function pclntab_function(const struct pclntab *tab, uint64_t i)
{
	const struct layout *l = tab->layout;
	uint64_t at =
		tab->functions + number_at(tab, tab->functions + (2 * i + 1) * l->width, l->width);
	uint64_t name = number_at(tab, at + l->name, 4), pcsp = number_at(tab, at + l->pcsp, 4);
	struct pclntab_function f = {
		.start = function_start(tab, i),
		.end = function_start(tab, i + 1),
		.name = name_at(tab, tab->names + name),
	};

	if (pcsp)
		f.depths = from(tab, tab->pctab + pcsp);
	return f;
}

bool pclntab_find(const struct elffile *elf, const char *name, struct elf_variable *function)
{
	struct pclntab *tab = pclntab_new(elf);
	bool found = false;

	for (uint64_t i = 0; tab && !found && i < pclntab_count(tab); i++) {
		struct pclntab_function f = pclntab_function(tab, i);

		found = f.name && !strcmp(f.name, name);
		*function = (struct elf_variable){.address = f.start, .size = f.end - f.start};
	}
	pclntab_free(tab);
	return found;
}
