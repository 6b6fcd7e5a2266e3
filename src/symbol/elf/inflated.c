/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "inflated.h"

#include <endian.h>
#include <stdint.h>
#include <string.h>

enum {
	SMALL = 1 << 24, /* bytes that any section may have */
	RATIO_MAX = 64,
};

/* "ZLIB" and the size in big-endian byte order. */
static uint64_t gnu_size(Elf_Scn *scn)
{
	const Elf_Data *data = elf_rawdata(scn, NULL);
	uint64_t size;

	if (!data || !data->d_buf || data->d_size < 4 + sizeof(size))
		return UINT64_MAX;
	memcpy(&size, (const char *)data->d_buf + 4, sizeof(size));
	return be64toh(size);
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
	return size <= SMALL || size / RATIO_MAX <= shdr->sh_size;
}

Dwarf *inflated_dwarf(Elf *elf)
{
	Elf_Scn *scn = NULL;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return NULL;
	while ((scn = elf_nextscn(elf, scn))) {
		GElf_Shdr shdr;
		const char *name =
			gelf_getshdr(scn, &shdr) ? elf_strptr(elf, names, shdr.sh_name) : NULL;

		if (name && shdr.sh_type != SHT_NOBITS && !inflated_is_sane(scn, &shdr, name))
			return NULL;
	}
	return dwarf_begin_elf(elf, DWARF_C_READ, NULL);
}
