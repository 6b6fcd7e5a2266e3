/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "inflated.h"
#include "elffile_internal.h"
#include "lib/util.h"
#include "xzsize.h"

#include <endian.h>
#include <stdint.h>
#include <string.h>

enum {
	SMALL = 1 << 24, /* bytes that any section may have */
	RATIO_MAX = 64,
};

/* Returns the size that follows "ZLIB", in big-endian byte order. */
static uint64_t gnu_size(Elf_Scn *scn)
{
	const Elf_Data *data = elf_rawdata(scn, NULL);
	uint64_t size;

	if (!data || !data->d_buf || data->d_size < 4 + sizeof(size))
		return UINT64_MAX;
	memcpy(&size, (const char *)data->d_buf + 4, sizeof(size));
	return be64toh(size);
}

static bool is_sane_size(uint64_t size, uint64_t compressed)
{
	return size <= SMALL || size / RATIO_MAX <= compressed;
}

bool inflated_is_sane(Elf_Scn *scn, const GElf_Shdr *shdr, const char *name)
{
	GElf_Chdr header;
	uint64_t size;

	if (shdr->sh_flags & SHF_COMPRESSED)
		size = gelf_getchdr(scn, &header) ? header.ch_size : UINT64_MAX;
	else if (!strncmp(name, ".zdebug", 7))
		size = gnu_size(scn);
	else
		return true;
	return is_sane_size(size, shdr->sh_size);
}

bool inflated_xz_is_sane(const void *data, size_t len)
{
	return is_sane_size(xzsize(data, len), len);
}

bool inflated_all_are_sane(Elf *elf)
{
	Elf_Scn *scn = NULL;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return false;
	while ((scn = elf_nextscn(elf, scn))) {
		GElf_Shdr shdr;
		const char *name =
			gelf_getshdr(scn, &shdr) ? elf_strptr(elf, names, shdr.sh_name) : NULL;

		if (name && shdr.sh_type != SHT_NOBITS && !inflated_is_sane(scn, &shdr, name))
			return false;
	}
	return true;
}

bool inflated_file_is_sane(int fd)
{
	elf_version(EV_CURRENT);
	Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	size_t size = 0;
	const char *bytes = elf_rawfile(elf, &size);
	bool sane = elf;

	if (elf_kind(elf) == ELF_K_ELF)
		sane = inflated_all_are_sane(elf);
	else if (bytes && xzsize_is_xz(bytes, size))
		sane = inflated_xz_is_sane(bytes, size);
	elf_end(elf);
	return sane;
}

bool inflated_needs_zstd(Elf *elf)
{
	enum { ZSTD = 2 }; /* ELFCOMPRESS_ZSTD, which older headers do not have */
	GElf_Shdr shdr;
	GElf_Chdr header;
	Elf_Scn *scn = elffile_section(elf, ".debug_info", &shdr);

	return scn && shdr.sh_flags & SHF_COMPRESSED && gelf_getchdr(scn, &header) &&
	       header.ch_type == ZSTD;
}

/*
 * Returns whether a section has locations of variables, macros, or an index of other sections,
 * which no name or line needs.
 */
static bool is_never_read(const char *name)
{
	static const char *const names[] = {
		"aranges", "loc", "loclists", "macinfo", "macro", "pubnames"};
	size_t prefix = !strncmp(name, ".debug_", 7) ? 7 : !strncmp(name, ".zdebug_", 8) ? 8 : 0;

	for (size_t i = 0; prefix && i < ARRAY_LEN(names); i++)
		if (!strcmp(name + prefix, names[i]))
			return true;
	return false;
}

/*
 * Hides sections that are never read, as libdw inflates all sections that it knows at once, except
 * sections without contents.
 */
static void hide_never_read(Elf *elf)
{
	Elf_Scn *scn = NULL;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return;
	while ((scn = elf_nextscn(elf, scn))) {
		GElf_Shdr shdr;
		const char *name =
			gelf_getshdr(scn, &shdr) ? elf_strptr(elf, names, shdr.sh_name) : NULL;

		if (!name || !is_never_read(name))
			continue;
		shdr.sh_type = SHT_NOBITS;
		gelf_update_shdr(scn, &shdr); /* only in memory */
	}
}

Dwarf *inflated_dwarf(Elf *elf)
{
	if (!inflated_all_are_sane(elf))
		return NULL;
	hide_never_read(elf);
	return dwarf_begin_elf(elf, DWARF_C_READ, NULL);
}
