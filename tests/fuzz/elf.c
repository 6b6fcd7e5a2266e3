/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A whole ELF file: its headers, notes, symbol tables, stubs, entry, Go's table, packed contents
 * and call frame information. Read from memory and from a file, it gives the same results. */
#include "arch/x86_64/entry_place.h"
#include "arch/x86_64/sdt_operand.h"
#include "fuzz.h"
#include "lib/strbuf.h"
#include "mutate_elf.h"
#include "symbol/elf/debugfile.h"
#include "symbol/elf/elf_functions.h"
#include "symbol/elf/elfdata.h"
#include "symbol/elf/elffile_internal.h"
#include "symbol/elf/sdt.h"
#include "symbol/elf/symtab.h"
#include "runtime/native.h"
#include "unwind/unwind_build.h"
#include "unwind/unwind_table.h"

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

/* Adds addresses around both ends of a range of SIZE bytes at START, and in it. */
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

/* Looks up all addresses in both directions; appends the results to OUT. */
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

/* Reads the facts that the recorder asks for. */
static void use_facts(const struct elffile *elf, struct strbuf *out)
{
	static const char *const names[] = {"main", "shown", "hidden", "a", ".rodata", ".text"};
	const struct debug_paths nowhere = {.path = "/dev/null"};
	struct elf_variable variable = {0};
	uint64_t value = 0, size = 0;

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (elfdata_variable(elf, names[i], &variable))
			strbuf_addf(out, "%lx %lx\n", variable.address, variable.size);
		if (elfdata_thread_place(elf, names[i], &value) != THREAD_NOWHERE)
			strbuf_addf(out, "%lx\n", value);
		if (elfdata_section(elf, names[i], &value, &size))
			strbuf_addf(out, "%lx %lx\n", value, size);
	}
	strbuf_addf(out, "%d\n", elfdata_needs(elf, "libc.so.6"));
	strbuf_addf(out, "%d\n", debugfile_names_known(elf, "", &nowhere));
}

static void use_function(void *context, const struct elf_function *f)
{
	strbuf_addf(context, "%s %lx %zu %zu\n", f->name, f->offset,
		entry_place(f->code, f->size, false), entry_place(f->code, f->size, true));
}

static void use_mark(void *context, const struct sdt_note *note)
{
	struct sdt_operand o;

	strbuf_addf(context, "%s %s %lx %lx\n", note->provider, note->name, note->offset,
		note->semaphore);
	for (unsigned i = 1; i < 4; i++)
		if (!sdt_operand_parse(&o, note->arguments, i))
			strbuf_addf(context, "%d %u %ld\n", o.kind, o.base, o.number);
}

static void use_table(struct elffile *elf, struct strbuf *out)
{
	struct unwind_table table;

	if (!unwind_build(&table, elf, native_sources, true, NULL))
		strbuf_addf(out, "%lx %u\n", table.header->base, table.header->nr_rows);
	unwind_table_release(&table);
}

static void use(struct elffile *elf, size_t size, struct strbuf *out)
{
	struct symtab *tab;
	struct addresses a;

	use_headers(elf, size, out);
	use_facts(elf, out);
	use_table(elf, out);
	elf_functions_each(elf, use_function, out);
	sdt_notes(elf, use_mark, out);
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

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned int seed)
{
	return mutate_elf(data, size, max, seed);
}
