/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "elf_functions.h"
#include "elffile_internal.h"
#include "lib/util.h"

#include <string.h>

enum { FUNCTIONS_MAX = 1 << 22, CODE_MAX = 64 };

/* A symbol table that is read. */
struct function_table {
	const struct elffile *elf;
	struct elf_code code[CODE_MAX];
	size_t nr_code;
	size_t names; /* index of the string section */
};

static bool is_function(const GElf_Sym *sym)
{
	unsigned type = GELF_ST_TYPE(sym->st_info);

	return sym->st_shndx != SHN_UNDEF && sym->st_shndx != SHN_ABS &&
	       (type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_NOTYPE);
}

/* Sets FUNCTION to the symbol. Returns false if it is none that has code. */
static bool read_function(
	const struct function_table *t, const GElf_Sym *sym, struct elf_function *function)
{
	const struct elf_code *around = elf_code_around(t->code, t->nr_code, sym->st_value);
	unsigned type = GELF_ST_TYPE(sym->st_info);
	uint64_t in, left;

	if (!is_function(sym) || !around)
		return false;
	in = sym->st_value - around->address;
	left = around->size - in;
	*function = (struct elf_function){
		.name = elf_strptr(elffile_elf(t->elf), t->names, sym->st_name),
		.address = sym->st_value,
		.code = around->bytes + in,
		.size = sym->st_size < left ? sym->st_size : left,
		.is_resolver = type == STT_GNU_IFUNC,
		.is_untyped = type == STT_NOTYPE,
	};
	return function->name && *function->name &&
	       elffile_code_at(t->elf, function->address, 0, &function->offset);
}

static void read_table(struct function_table *t, const char *section,
	void (*take)(void *context, const struct elf_function *function), void *context)
{
	GElf_Shdr shdr;
	Elf_Scn *scn = elffile_section(elffile_elf(t->elf), section, &shdr);
	Elf_Data *data = scn && (shdr.sh_type == SHT_DYNSYM || shdr.sh_type == SHT_SYMTAB)
				 ? elf_getdata(scn, NULL)
				 : NULL;
	struct elf_function function;
	GElf_Sym sym;

	t->names = shdr.sh_link;
	for (int i = 0; data && i < FUNCTIONS_MAX && gelf_getsym(data, i, &sym); i++)
		if (read_function(t, &sym, &function))
			take(context, &function);
}

void elf_functions_each(const struct elffile *elf,
	void (*take)(void *context, const struct elf_function *function), void *context)
{
	struct function_table t = {.elf = elf};

	if (!elffile_elf(elf))
		return;
	t.nr_code = elffile_code(elf, t.code, ARRAY_LEN(t.code));
	read_table(&t, ".dynsym", take, context);
	read_table(&t, ".symtab", take, context);
}
