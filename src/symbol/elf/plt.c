/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plt.h"
#include "arch/x86_64/code_shapes.h"
#include "arch/x86_64/elf_names.h"
#include "elffile_internal.h"
#include "lib/util.h"

#include <stdlib.h>
#include <string.h>

/* A GOT slot and the function that the dynamic linker stores there. */
struct slot {
	uint64_t address;
	const char *name; /* or NULL for an IFUNC of RESOLVER */
	uint64_t resolver;
};

struct section {
	uint64_t start, size, stub;
	const unsigned char *code;
};

struct plt {
	const struct elffile *elf;
	bool slots_read; /* set by the first hit of a stub, as large files have many relocations */
	struct slot *slots;
	size_t nr_slots, slots_alloc;
	struct section sections[4];
	size_t nr_sections;
};

static void add_relocs(struct plt *plt, Elf *elf, Elf_Scn *scn, const GElf_Shdr *shdr)
{
	Elf_Data *data = elf_getdata(scn, NULL), *syms = NULL;
	Elf_Scn *symscn = elf_getscn(elf, shdr->sh_link);
	GElf_Shdr symshdr;
	GElf_Rela rela;

	if (!data || !data->d_buf)
		return;
	if (symscn && gelf_getshdr(symscn, &symshdr) && symshdr.sh_type == SHT_DYNSYM)
		syms = elf_getdata(symscn, NULL);
	for (int i = 0; gelf_getrela(data, i, &rela); i++) {
		struct slot slot = {.address = rela.r_offset};
		uint64_t type = GELF_R_TYPE(rela.r_info);
		GElf_Sym sym;

		if (type == RELOC_IRELATIVE) {
			slot.resolver = (uint64_t)rela.r_addend;
		} else if (type == RELOC_JUMP_SLOT || type == RELOC_GLOB_DAT) {
			if (!syms || !gelf_getsym(syms, (int)GELF_R_SYM(rela.r_info), &sym))
				continue;
			slot.name = elf_strptr(elf, symshdr.sh_link, sym.st_name);
			if (!slot.name || !*slot.name)
				continue;
		} else {
			continue;
		}
		ALLOC_GROW(plt->slots, plt->nr_slots, plt->slots_alloc);
		plt->slots[plt->nr_slots++] = slot;
	}
}

static void add_section(struct plt *plt, Elf_Scn *scn, const GElf_Shdr *shdr)
{
	Elf_Data *data = elf_rawdata(scn, NULL);

	if (!data || !data->d_buf || data->d_size < shdr->sh_size ||
		plt->nr_sections == ARRAY_LEN(plt->sections) ||
		shdr->sh_size > UINT64_MAX - shdr->sh_addr)
		return;
	plt->sections[plt->nr_sections++] = (struct section){
		.start = shdr->sh_addr,
		.size = shdr->sh_size,
		.stub = shdr->sh_entsize == 8 ? 8 : SHAPE_STUB,
		.code = data->d_buf,
	};
}

static int compare_slots(const void *a, const void *b)
{
	uint64_t x = ((const struct slot *)a)->address, y = ((const struct slot *)b)->address;

	return (x > y) - (x < y);
}

struct plt *plt_new(const struct elffile *file)
{
	struct plt *plt = xcalloc(1, sizeof(*plt));
	Elf *elf = elffile_elf(file);
	Elf_Scn *scn = NULL;
	GElf_Ehdr ehdr;
	size_t names;

	plt->elf = file;
	if (!gelf_getehdr(elf, &ehdr) || ehdr.e_machine != MACHINE ||
		elf_getshdrstrndx(elf, &names))
		return plt;
	while ((scn = elf_nextscn(elf, scn))) {
		GElf_Shdr shdr;
		const char *name;

		if (!gelf_getshdr(scn, &shdr) || !(shdr.sh_flags & SHF_ALLOC) ||
			shdr.sh_type != SHT_PROGBITS)
			continue;
		name = elf_strptr(elf, names, shdr.sh_name);
		if (name && !strncmp(name, ".plt", 4))
			add_section(plt, scn, &shdr);
	}
	return plt;
}

static void read_slots(struct plt *plt)
{
	Elf *elf = elffile_elf(plt->elf);
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;

	plt->slots_read = true;
	while ((scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, &shdr) && shdr.sh_type == SHT_RELA &&
			(shdr.sh_flags & SHF_ALLOC))
			add_relocs(plt, elf, scn, &shdr);
	if (plt->nr_slots)
		qsort(plt->slots, plt->nr_slots, sizeof(*plt->slots), compare_slots);
}

void plt_free(struct plt *plt)
{
	if (!plt)
		return;
	free(plt->slots);
	free(plt);
}

bool plt_find(struct plt *plt, uint64_t address, struct plt_stub *stub)
{
	const struct section *s = plt->sections;
	const struct slot *slot;
	struct slot key = {0};
	uint64_t at;

	while (s < plt->sections + plt->nr_sections &&
		(address < s->start || address - s->start >= s->size))
		s++;
	if (s == plt->sections + plt->nr_sections)
		return false;
	at = (address - s->start) / s->stub * s->stub;
	stub->start = s->start + at;
	size_t size = s->size - at < s->stub ? s->size - at : s->stub;

	if (!shape_stub_slot(s->code + at, size, stub->start, &key.address))
		return false;
	if (!plt->slots_read)
		read_slots(plt);
	if (!plt->nr_slots)
		return false;
	slot = bsearch(&key, plt->slots, plt->nr_slots, sizeof(key), compare_slots);
	if (!slot)
		return false;
	stub->name = slot->name;
	stub->target = slot->resolver;
	return true;
}
