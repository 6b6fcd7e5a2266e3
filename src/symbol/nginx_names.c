/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "nginx_names.h"
#include "arch/x86_64/code_shapes.h"
#include "arch/x86_64/elf_names.h"
#include "lib/util.h"
#include "lib/table.h"
#include "nginx_code.h"
#include "symbol/elf/ehframe.h"
#include "symbol/elf/elfdata.h"
#include "symbol/elf/elffile_internal.h"

#include <stdlib.h>
#include <string.h>

enum {
	SECTIONS_MAX = 128,
	RELOCATIONS_MAX = 1 << 20,
	MODULES_MAX = 1024,
	MODULE_NAME_MAX = 64,
	FUNCTION_MAX = 1 << 20, /* bytes of a function */
	CODE_MAX = 1 << 26,     /* bytes that are searched; a hostile file may have more */
};

/* The file as it is in memory, at its link addresses. */
struct file_image {
	struct image_section {
		uint64_t address, size;
		const char *bytes;
		bool is_code;
	} sections[SECTIONS_MAX];
	size_t nr_sections;
	struct image_word {
		uint64_t address, value;
	} * words; /* words that the dynamic linker writes, ascending */
	size_t nr_words, words_alloc;
};

struct nginx_names {
	const struct elffile *elf;
	struct file_image image;
	bool (*has_symbol)(void *context, uint64_t address);
	void *context;
	struct nginx_code code;
	uint64_t name[MODULES_MAX]; /* addresses of the modules' names */
	uint32_t nr;
	uint64_t nr_bytes;              /* bytes of code that were searched */
	char text[MODULE_NAME_MAX + 1]; /* the last name that was found */
};

/* ---- the image ---- */

static void read_sections(struct file_image *image, Elf *elf)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;

	while (image->nr_sections < SECTIONS_MAX && (scn = elf_nextscn(elf, scn))) {
		Elf_Data *data;

		if (!gelf_getshdr(scn, &shdr) || !(shdr.sh_flags & SHF_ALLOC) ||
			shdr.sh_type == SHT_NOBITS)
			continue;
		data = elf_rawdata(scn, NULL);
		if (data && data->d_buf)
			image->sections[image->nr_sections++] = (struct image_section){shdr.sh_addr,
				data->d_size, data->d_buf, shdr.sh_flags & SHF_EXECINSTR};
	}
}

static const struct image_section *section_at(
	const struct file_image *image, uint64_t address, uint64_t len)
{
	for (size_t i = 0; i < image->nr_sections; i++) {
		const struct image_section *s = &image->sections[i];

		if (address >= s->address && address - s->address <= s->size &&
			len <= s->size - (address - s->address))
			return s;
	}
	return NULL;
}

static int compare_words(const void *a, const void *b)
{
	const struct image_word *x = a, *y = b;

	return (x->address > y->address) - (x->address < y->address);
}

/* Returns the value of a symbol, or 0 for a symbol in another file, whose value is not known. */
static uint64_t symbol_value(Elf_Data *symbols, uint64_t nr)
{
	GElf_Sym sym;

	if (!symbols || nr > INT32_MAX || !gelf_getsym(symbols, (int)nr, &sym) ||
		sym.st_shndx == SHN_UNDEF)
		return 0;
	return sym.st_value;
}

/* Reads the relocations. Packed ones (.relr.dyn) have their values in place. */
static void read_relocations(struct file_image *image, Elf *elf)
{
	GElf_Shdr shdr;
	Elf_Scn *scn = elffile_section(elf, ".rela.dyn", &shdr);
	Elf_Data *data = scn && shdr.sh_type == SHT_RELA ? elf_getdata(scn, NULL) : NULL;
	Elf_Scn *symbols_scn = data ? elf_getscn(elf, shdr.sh_link) : NULL;
	Elf_Data *symbols = symbols_scn ? elf_getdata(symbols_scn, NULL) : NULL;
	GElf_Rela rela;

	for (int i = 0; data && i < RELOCATIONS_MAX && gelf_getrela(data, i, &rela); i++) {
		uint64_t type = GELF_R_TYPE(rela.r_info), value = 0;

		if (type == RELOC_ADDRESS)
			value = symbol_value(symbols, GELF_R_SYM(rela.r_info));
		else if (type != RELOC_RELATIVE)
			continue;
		ALLOC_GROW(image->words, image->nr_words, image->words_alloc);
		image->words[image->nr_words++] =
			(struct image_word){rela.r_offset, value + (uint64_t)rela.r_addend};
	}
	if (image->nr_words)
		qsort(image->words, image->nr_words, sizeof(*image->words), compare_words);
}

static bool read_word(const struct file_image *image, uint64_t address, uint64_t *word)
{
	const struct image_word key = {.address = address};
	const struct image_word *relocated =
		image->nr_words
			? bsearch(&key, image->words, image->nr_words, sizeof(key), compare_words)
			: NULL;
	const struct image_section *s = section_at(image, address, sizeof(*word));

	if (relocated)
		*word = relocated->value;
	else if (s)
		memcpy(word, s->bytes + (address - s->address), sizeof(*word));
	return relocated || s;
}

static bool read_words(void *context, uint64_t address, void *to, size_t len)
{
	const struct nginx_names *n = context;

	for (size_t i = 0; i + sizeof(uint64_t) <= len; i += sizeof(uint64_t)) {
		uint64_t word;

		if (!read_word(&n->image, address + i, &word))
			return false;
		memcpy((char *)to + i, &word, sizeof(word));
	}
	return true;
}

/* ---- modules ---- */

static bool is_function(void *context, uint64_t address)
{
	const struct nginx_names *n = context;
	const struct image_section *s = section_at(&n->image, address, 1);

	return s && s->is_code && !n->has_symbol(n->context, address);
}

/* ---- the functions that they call ---- */

/*
 * Returns the function without a symbol that an instruction calls, jumps to, or takes the address
 * of, or 0 if there is none. The instruction is at BYTES, which have ROOM bytes and the address AT.
 * Bytes that are no instruction of that kind hardly ever lead to the beginning of a function.
 */
static uint64_t referred(
	const struct nginx_names *n, const unsigned char *bytes, size_t room, uint64_t at)
{
	uint64_t target;

	if (!shape_target(bytes, room, at, &target) && !shape_taken(bytes, room, at, &target))
		return 0;
	return is_function((void *)(uintptr_t)n, target) &&
			       ehframe_next(n->elf, target - 1) == target
		       ? target
		       : 0;
}

/*
 * Adds the functions that the function number INDEX refers to, unless they are among the SEEN ones.
 */
static void follow_function(struct nginx_names *n, size_t index, struct table *seen)
{
	const struct nginx_function f = n->code.list[index];
	uint64_t end = ehframe_next(n->elf, f.address);
	const struct image_section *s = section_at(&n->image, f.address, 1);

	if (!s || end <= f.address || end - f.address > FUNCTION_MAX)
		return;
	n->nr_bytes += end - f.address;
	size_t size = end - f.address, room = s->size - (f.address - s->address);
	const unsigned char *bytes = (const unsigned char *)s->bytes + (f.address - s->address);

	for (size_t i = 0; i < size && i < room; i++) {
		uint64_t target = referred(n, bytes + i, room - i, f.address + i);
		bool is_new = false;

		if (target)
			table_put(seen, target, f.module, &is_new);
		if (is_new)
			nginx_code_put(&n->code, target, f.module);
	}
}

/*
 * Adds all functions that the known functions refer to, directly or not. A static function can only
 * be referred to by its own source file, which is the module's.
 */
static void follow(struct nginx_names *n)
{
	struct table seen;
	bool is_new;

	table_init(&seen);
	for (size_t i = 0; i < n->code.nr; i++)
		table_put(&seen, n->code.list[i].address, n->code.list[i].module, &is_new);
	for (size_t i = 0; i < n->code.nr && n->nr_bytes < CODE_MAX; i++)
		follow_function(n, i, &seen);
	table_release(&seen);
}

/* Reads the modules at LIST, which ends with a null pointer, and their names at LIST_OF_NAMES. */
static void read_modules(struct nginx_names *n, uint64_t list, uint64_t list_of_names)
{
	const struct nginx_reader reader = {read_words, is_function, n};
	uint64_t module, word[NGINX_MODULE_WORDS];

	while (n->nr < MODULES_MAX && read_word(&n->image, list + 8ULL * n->nr, &module) &&
		module && read_word(&n->image, list_of_names + 8ULL * n->nr, &n->name[n->nr])) {
		if (read_words(n, module, word, sizeof(word)))
			nginx_code_add(&n->code, &reader, word, n->nr);
		n->nr++;
	}
	follow(n);
	nginx_code_sort(&n->code);
}

struct nginx_names *nginx_names_new(const struct elffile *elf,
	bool (*has_symbol)(void *context, uint64_t address), void *context)
{
	struct elf_variable list, names;
	struct nginx_names *n;
	Elf *handle;

	if (!elfdata_variable(elf, "ngx_modules", &list) ||
		!elfdata_variable(elf, "ngx_module_names", &names))
		return NULL;
	handle = elffile_elf(elf);
	n = xcalloc(1, sizeof(*n));
	n->elf = elf;
	n->has_symbol = has_symbol;
	n->context = context;
	read_sections(&n->image, handle);
	read_relocations(&n->image, handle);
	read_modules(n, list.address, names.address);
	return n;
}

void nginx_names_free(struct nginx_names *n)
{
	if (!n)
		return;
	nginx_code_release(&n->code);
	free(n->image.words);
	free(n);
}

/* Reads a name. Returns false if no text of letters, digits and "_" is there. */
static bool read_name(struct nginx_names *n, uint64_t address)
{
	const struct image_section *s = section_at(&n->image, address, 1);
	size_t room = s ? s->size - (address - s->address) : 0;
	const char *from = s ? s->bytes + (address - s->address) : "";
	size_t len = strnlen(from, room < sizeof(n->text) ? room : sizeof(n->text) - 1);

	memcpy(n->text, from, len);
	n->text[len] = '\0';
	return len && len < room &&
	       strspn(n->text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") ==
		       len;
}

const char *nginx_names_find(struct nginx_names *n, uint64_t start)
{
	const struct nginx_function *next, *f = nginx_code_find(&n->code, start, &next);
	uint32_t module = 0;

	if (n->nr != 1) { /* otherwise the whole file belongs to the only module */
		if (!f || (f->address != start && (!next || next->module != f->module)))
			return NULL;
		module = f->module;
	}
	return read_name(n, n->name[module]) ? n->text : NULL;
}
