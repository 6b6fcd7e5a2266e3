/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "elfdata.h"
#include "arch/x86_64/elf_names.h"
#include "elffile_internal.h"
#include "symbol/names/demangle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SYMBOLS_MAX = 1 << 22 };

struct symbols {
	Elf *elf;
	Elf_Data *data;
	size_t names; /* index of the string section */
};

static bool open_symbols(struct symbols *symbols, Elf *elf, const char *section)
{
	GElf_Shdr shdr;
	Elf_Scn *scn = elffile_section(elf, section, &shdr);

	*symbols = (struct symbols){.elf = elf, .names = shdr.sh_link};
	if (scn && (shdr.sh_type == SHT_DYNSYM || shdr.sh_type == SHT_SYMTAB))
		symbols->data = elf_getdata(scn, NULL);
	return symbols->data;
}

static bool is_called(const struct symbols *symbols, const GElf_Sym *sym, const char *name)
{
	const char *s = elf_strptr(symbols->elf, symbols->names, sym->st_name);

	return s && !strcmp(s, name);
}

/*
 * Returns whether the string section has NAME, perhaps as the end of another string. Most files
 * lack what is looked for, and to compare the names of all symbols takes several times as long.
 */
static bool has_string(const struct symbols *symbols, const char *name)
{
	Elf_Data *data = elf_getdata(elf_getscn(symbols->elf, symbols->names), NULL);

	return data && data->d_buf && memmem(data->d_buf, data->d_size, name, strlen(name) + 1);
}

static bool find_in(Elf *elf, const char *section, const char *name, GElf_Sym *sym)
{
	struct symbols symbols;

	if (!open_symbols(&symbols, elf, section) || !has_string(&symbols, name))
		return false;
	for (int i = 0; i < SYMBOLS_MAX && gelf_getsym(symbols.data, i, sym); i++)
		if (sym->st_shndx != SHN_UNDEF && is_called(&symbols, sym, name))
			return true;
	return false;
}

bool elfdata_variable(const struct elffile *elf, const char *name, struct elf_variable *variable)
{
	Elf *handle = elffile_elf(elf);
	GElf_Sym sym;

	if (!find_in(handle, ".dynsym", name, &sym) && !find_in(handle, ".symtab", name, &sym))
		return false;
	*variable = (struct elf_variable){
		.address = sym.st_value,
		.size = sym.st_size,
		.per_thread = GELF_ST_TYPE(sym.st_info) == STT_TLS,
	};
	return true;
}

/* Makes RANGE end where [START, END) begins, or begin where that ends. ADDRESS stays in RANGE. */
static void narrow(struct elf_data_range *range, uint64_t start, uint64_t end, uint64_t address)
{
	if (start > address && start < range->end)
		range->end = start;
	if (end >= start && end <= address && end > range->start)
		range->start = end;
}

/* Sets RANGE to the segment of writable data around ADDRESS, or to the addresses between segments.
 */
static void find_segment(Elf *elf, uint64_t address, struct elf_data_range *range)
{
	GElf_Phdr phdr;
	size_t n;

	if (!elf || elf_getphdrnum(elf, &n))
		return;
	for (size_t i = 0; i < n && i < INT32_MAX; i++) {
		if (!gelf_getphdr(elf, (int)i, &phdr) || phdr.p_type != PT_LOAD ||
			!(phdr.p_flags & PF_W))
			continue;
		narrow(range, phdr.p_vaddr, phdr.p_vaddr + phdr.p_memsz, address);
		if (address - phdr.p_vaddr < phdr.p_memsz) {
			range->is_data = true;
			narrow(range, 0, phdr.p_vaddr, address);
			narrow(range, phdr.p_vaddr + phdr.p_memsz, UINT64_MAX, address);
		}
	}
}

/* Names of C++ and Rust are kept as they are in the source. */
static void keep_name(struct elf_data_range *range, const char *name)
{
	char *demangled = demangle_name(name, DEMANGLE_SHORT);

	snprintf(range->variable, sizeof(range->variable), "%s", demangled ? demangled : name);
	free(demangled);
}

/*
 * Finds the variable around ADDRESS in the table SECTION. Narrows RANGE to it, or if there is none
 * to the addresses between the variables. Returns whether there is one.
 */
static bool find_around(
	Elf *elf, const char *section, uint64_t address, struct elf_data_range *range)
{
	struct symbols symbols;
	GElf_Sym sym;

	if (!open_symbols(&symbols, elf, section))
		return false;
	for (int i = 0; i < SYMBOLS_MAX && gelf_getsym(symbols.data, i, &sym); i++) {
		if (sym.st_shndx == SHN_UNDEF || GELF_ST_TYPE(sym.st_info) != STT_OBJECT)
			continue;
		const char *name = elf_strptr(elf, symbols.names, sym.st_name);

		if (address - sym.st_value >= sym.st_size || !name || !*name) {
			narrow(range, sym.st_value, sym.st_value + sym.st_size, address);
			continue;
		}
		keep_name(range, name);
		range->start = sym.st_value;
		range->end = sym.st_value + sym.st_size;
		return true;
	}
	return false;
}

void elfdata_at(const struct elffile *elf, uint64_t address, struct elf_data_range *range)
{
	Elf *handle = elffile_elf(elf);

	*range = (struct elf_data_range){.end = UINT64_MAX};
	find_segment(handle, address, range);
	if (range->is_data && !find_around(handle, ".symtab", address, range))
		find_around(handle, ".dynsym", address, range);
}

/* Finds the first program header of type TYPE. Returns false if there is none. */
static bool find_header(Elf *elf, uint32_t type, GElf_Phdr *phdr)
{
	size_t n;

	if (elf_getphdrnum(elf, &n))
		return false;
	for (size_t i = 0; i < n && i < INT32_MAX; i++)
		if (gelf_getphdr(elf, (int)i, phdr) && phdr->p_type == type)
			return true;
	return false;
}

/* Returns whether ELF is a program, which libraries are not. */
static bool is_program(Elf *elf)
{
	GElf_Phdr unused;
	GElf_Ehdr ehdr;

	return find_header(elf, PT_INTERP, &unused) ||
	       (gelf_getehdr(elf, &ehdr) && ehdr.e_type == ET_EXEC);
}

/*
 * Sets VALUE to the offset in an executable, whose TLS block, rounded up to its alignment, ends at
 * the thread pointer.
 */
static bool offset_in_program(Elf *elf, const struct elf_variable *variable, uint64_t *value)
{
	GElf_Phdr tls;
	uint64_t align;

	if (!is_program(elf) || !find_header(elf, PT_TLS, &tls))
		return false;
	align = tls.p_align ? tls.p_align : 1;
	*value = variable->address - (tls.p_memsz + align - 1) / align * align;
	return true;
}

static enum elf_thread_place place_of_type(uint64_t type)
{
	switch (type) {
	case RELOC_THREAD_OFFSET:
		return THREAD_SLOT;
	case RELOC_THREAD_MODULE:
		return THREAD_MODULE;
	case RELOC_THREAD_DESCRIPTOR:
		return THREAD_DESCRIPTOR;
	default:
		return THREAD_NOWHERE;
	}
}

/*
 * Returns whether RELA is for VARIABLE, which is called NAME. The linker may have bound a
 * descriptor to a variable of this file; it then has no symbol.
 */
static bool is_for(const struct symbols *symbols, const GElf_Rela *rela, const char *name,
	const struct elf_variable *variable)
{
	uint64_t nr = GELF_R_SYM(rela->r_info);
	GElf_Sym sym;

	if (!nr)
		return GELF_R_TYPE(rela->r_info) == RELOC_THREAD_DESCRIPTOR &&
		       (uint64_t)rela->r_addend == variable->address;
	return nr <= INT32_MAX && gelf_getsym(symbols->data, (int)nr, &sym) &&
	       is_called(symbols, &sym, name);
}

static enum elf_thread_place place_in(Elf *elf, const char *section, const char *name,
	const struct elf_variable *variable, uint64_t *value)
{
	GElf_Shdr shdr;
	Elf_Scn *scn = elffile_section(elf, section, &shdr);
	Elf_Data *data = scn && shdr.sh_type == SHT_RELA ? elf_getdata(scn, NULL) : NULL;
	struct symbols symbols;
	GElf_Rela rela;

	if (!data || !open_symbols(&symbols, elf, ".dynsym"))
		return THREAD_NOWHERE;
	for (int i = 0; i < SYMBOLS_MAX && gelf_getrela(data, i, &rela); i++) {
		enum elf_thread_place place = place_of_type(GELF_R_TYPE(rela.r_info));

		if (place == THREAD_NOWHERE || !is_for(&symbols, &rela, name, variable))
			continue;
		*value = rela.r_offset;
		return place;
	}
	return THREAD_NOWHERE;
}

/* Linkers put descriptors among the relocations of the PLT. */
static enum elf_thread_place place_in_slots(
	Elf *elf, const char *name, const struct elf_variable *variable, uint64_t *value)
{
	enum elf_thread_place place = place_in(elf, ".rela.dyn", name, variable, value);

	return place ? place : place_in(elf, ".rela.plt", name, variable, value);
}

enum elf_thread_place elfdata_thread_place(
	const struct elffile *elf, const char *name, uint64_t *value)
{
	Elf *handle = elffile_elf(elf);
	struct elf_variable variable;

	if (!elfdata_variable(elf, name, &variable) || !variable.per_thread)
		return THREAD_NOWHERE;
	if (offset_in_program(handle, &variable, value))
		return THREAD_OFFSET;
	return place_in_slots(handle, name, &variable, value);
}

bool elfdata_section(const struct elffile *elf, const char *name, uint64_t *address, uint64_t *size)
{
	GElf_Shdr shdr;

	if (!elffile_section(elffile_elf(elf), name, &shdr) || shdr.sh_type == SHT_NOBITS)
		return false;
	*address = shdr.sh_addr;
	*size = shdr.sh_size;
	return true;
}

/* Returns whether the library NAME may be in FILE. */
static bool is_library_in(const char *name, const char *file)
{
	size_t len = name ? strlen(name) : 0;

	return len && !strncmp(name, file, len) && (!file[len] || file[len] == '.');
}

bool elfdata_needs(const struct elffile *elf, const char *library)
{
	Elf *handle = elffile_elf(elf);
	GElf_Shdr shdr;
	Elf_Scn *scn = elffile_section(handle, ".dynamic", &shdr);
	Elf_Data *data = scn && shdr.sh_type == SHT_DYNAMIC ? elf_getdata(scn, NULL) : NULL;
	GElf_Dyn dyn;

	for (int i = 0; data && gelf_getdyn(data, i, &dyn) && dyn.d_tag != DT_NULL; i++)
		if (dyn.d_tag == DT_NEEDED &&
			is_library_in(elf_strptr(handle, shdr.sh_link, dyn.d_un.d_val), library))
			return true;
	return false;
}
