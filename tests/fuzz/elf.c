/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A whole ELF file: its headers, notes, tables of symbols, stubs, entry, Go's table, what is packed
 * into it, call frame information. In memory and as a file it says the same.
 */
#include "fuzz.h"
#include "lib/strbuf.h"
#include "mutate.h"
#include "symbol/elf/debugfile.h"
#include "symbol/elf/elffile_internal.h"
#include "symbol/elf/symtab.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { ADDRESSES = 512 };

struct addresses {
	uint64_t list[ADDRESSES];
	size_t nr;
};

static void add(struct addresses *a, uint64_t at)
{
	if (a->nr < ADDRESSES)
		a->list[a->nr++] = at;
}

/* Around the ends of a range of SIZE bytes at START, and in it. */
static void add_range(struct addresses *a, uint64_t start, uint64_t size)
{
	add(a, start - 1);
	add(a, start);
	add(a, start + size / 2);
	add(a, start + size - 1);
	add(a, start + size);
	for (uint64_t i = 1; i < 8; i++)
		add(a, start + size / 8 * i + i);
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void choose_addresses(struct addresses *a, const struct elffile *elf)
{
	struct elf_code code[4];
	size_t nr = elffile_code(elf, code, 4);
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;

	a->nr = 0;
	add(a, 0);
	add(a, UINT64_MAX);
	for (size_t i = 0; i < nr; i++) {
		must(code[i].bytes[0] + code[i].bytes[code[i].size - 1] >= 0);
		add_range(a, code[i].address, code[i].size);
	}
	while (a->nr < ADDRESSES && (scn = elf_nextscn(elffile_elf(elf), scn)))
		if (gelf_getshdr(scn, &shdr) && (shdr.sh_flags & SHF_EXECINSTR))
			add_range(a, shdr.sh_addr, shdr.sh_size);
	qsort(a->list, a->nr, sizeof(*a->list), compare);
}

/* Looks up all addresses up and down; as text. */
static void look_up(struct symtab *tab, const struct addresses *a, struct strbuf *out)
{
	struct symtab_hit hit, again;

	must(symtab_source(tab) <= SYMTAB_DEBUG);
	for (size_t i = 0; i < a->nr; i++)
		if (symtab_find(tab, a->list[i], &hit)) {
			must(hit.start <= a->list[i] && hit.name_len);
			strbuf_addf(out, "%lx %.*s %lx %d\n", a->list[i], (int)hit.name_len,
				hit.name, hit.start, hit.plt);
		} else {
			strbuf_addf(out, "%lx\n", a->list[i]);
		}
	for (size_t i = a->nr; i-- > 0;)
		if (symtab_find(tab, a->list[i], &hit)) {
			must(symtab_find(tab, a->list[i], &again));
			must(again.start == hit.start && again.name == hit.name);
		}
}

static void use_headers(struct elffile *elf, size_t size, struct strbuf *out)
{
	uint64_t address = 0, first = 0;

	strbuf_addf(out, "%s %lx\n", elffile_build_id(elf), elffile_hidden_eh_frame(elf));
	if (elffile_build_id_address(elf, &address, &first))
		strbuf_addf(out, "%lx %lx\n", address, first);
	if (elffile_symbol(elf, "main", &address))
		strbuf_addf(out, "main %lx\n", address);
	for (uint64_t at = 0; at < size; at += size / 16 + 1) {
		strbuf_addf(out, "%d", elffile_rules(elf, at));
		if (elffile_address(elf, at, &address))
			strbuf_addf(out, " %lx", address);
		if (elffile_mapped(elf, at / 4096 * 4096, 4096, &address))
			strbuf_addf(out, " %lx", address);
	}
}

static void use(struct elffile *elf, size_t size, struct strbuf *out)
{
	struct symtab *tab;
	struct addresses a;

	use_headers(elf, size, out);
	choose_addresses(&a, elf);
	tab = symtab_new(elf, NULL, NULL);
	look_up(tab, &a, out);
	symtab_free(tab);
	tab = symtab_new(NULL, elf, NULL);
	look_up(tab, &a, out);
	symtab_free(tab);
	free(debugfile_alt_id(elf));
}

static struct elffile *open_file(const uint8_t *data, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	must(fd >= 0 && !write_whole(fd, data, size));
	return elffile_open_fd(fd, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct strbuf said = STRBUF_INIT, file_said = STRBUF_INIT;
	struct elffile *elf = elffile_open_memory(data, size), *file = open_file(data, size);

	must(!elf == !file);
	if (elf) {
		use(elf, size, &said);
		use(file, size, &file_said);
		must(said.len == file_said.len && !memcmp(said.buf, file_said.buf, said.len));
	}
	elffile_close(elf);
	elffile_close(file);
	strbuf_release(&said);
	strbuf_release(&file_said);
	return 0;
}

/* ---- mutations that keep it an ELF file ---- */

/* A number that is likely to matter: the file's size, one of its headers' numbers, a limit. */
static uint64_t likely(const uint8_t *data, size_t size, uint64_t *random)
{
	static const uint64_t limits[] = {0, 1, 2, 7, 8, 0x18, 0x40, 0x7fffffff, 0xffffffff,
		INT64_MAX, UINT64_MAX, UINT64_MAX - 7, UINT64_MAX - 0xfff};
	uint64_t value = 0;

	switch (mutate_random(random, 4)) {
	case 0:
		return limits[mutate_random(random, ARRAY_LEN(limits))];
	case 1:
		return size + mutate_random(random, 17) - 8;
	default:
		memcpy(&value, data + mutate_random(random, size / 8) * 8, sizeof(value));
		return value + mutate_random(random, 3) - 1;
	}
}

/* Changes a number somewhere in TABLE of NR entries of ENTRY bytes, if that is in the file. */
static void change_table(
	uint8_t *data, size_t size, uint64_t table, uint64_t nr, uint64_t entry, uint64_t *random)
{
	uint64_t value = likely(data, size, random);
	size_t width = (size_t[]){1, 2, 4, 8, 8, 8}[mutate_random(random, 6)], at;

	if (!nr || table >= size)
		return;
	at = table + mutate_random(random, nr) * entry +
	     mutate_random(random, entry / width + 1) * width;
	if (at < size && width <= size - at)
		memcpy(data + at, &value, width);
}

static void change_header(uint8_t *data, size_t size, uint64_t *random)
{
	Elf64_Ehdr ehdr;
	Elf64_Shdr shdr;
	uint64_t at;

	memcpy(&ehdr, data, sizeof(ehdr));
	switch (mutate_random(random, 8)) {
	case 0:
		change_table(data, size, 0, 1, sizeof(ehdr), random);
		return;
	case 1:
		change_table(data, size, ehdr.e_phoff, ehdr.e_phnum, sizeof(Elf64_Phdr), random);
		return;
	case 2:
	case 3:
		change_table(data, size, ehdr.e_shoff, ehdr.e_shnum, sizeof(Elf64_Shdr), random);
		return;
	default:
		break;
	}
	/* what is in a section */
	at = ehdr.e_shoff + mutate_random(random, ehdr.e_shnum + 1u) * sizeof(shdr);
	if (at >= size || size - at < sizeof(shdr))
		return;
	memcpy(&shdr, data + at, sizeof(shdr));
	uint64_t entry = shdr.sh_entsize && shdr.sh_entsize < 64 ? shdr.sh_entsize : 8;

	change_table(data, size, shdr.sh_offset, shdr.sh_size / entry, entry, random);
}

static void repair(uint8_t *data, uint64_t *random)
{
	static const uint8_t ident[] = {
		ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT};
	Elf64_Ehdr ehdr;

	memcpy(&ehdr, data, sizeof(ehdr));
	memcpy(ehdr.e_ident, ident, sizeof(ident));
	if (!mutate_random(random, 16))
		ehdr.e_ident[EI_CLASS] = ELFCLASS32;
	if (!mutate_random(random, 64))
		ehdr.e_ident[EI_DATA] = ELFDATA2MSB;
	if (ehdr.e_type != ET_DYN)
		ehdr.e_type = ET_EXEC;
	if (mutate_random(random, 16))
		ehdr.e_machine = EM_X86_64;
	ehdr.e_version = EV_CURRENT;
	memcpy(data, &ehdr, sizeof(ehdr));
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned int seed)
{
	uint64_t random = seed;

	if (size < sizeof(Elf64_Ehdr) || !mutate_random(&random, 3))
		size = LLVMFuzzerMutate(data, size, max);
	else
		for (uint64_t n = 1 + mutate_random(&random, 4); n; n--)
			change_header(data, size, &random);
	if (size >= sizeof(Elf64_Ehdr) && mutate_random(&random, 32))
		repair(data, &random);
	return size;
}
