/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symtab.h"
#include "debugfile.h"
#include "elffile_internal.h"
#include "entry.h"
#include "lib/util.h"
#include "plt.h"
#include "symlist.h"
#include "symstore.h"

#include <stdlib.h>
#include <string.h>

struct symtab {
	const struct elffile *elf;
	struct symimage image;
	uint64_t last;   /* part found by the previous search */
	struct plt *plt; /* made when first needed */
};

/* Reads the symbols of a mapped file that has no .symtab. */
static enum symtab_source read_stripped(struct symlist *list, const struct elffile *elf)
{
	struct elffile *embedded = debugfile_open_embedded(elf);
	bool exported = symlist_add_table(list, elf, SHT_DYNSYM);
	bool local = embedded && symlist_add_table(list, embedded, SHT_SYMTAB);

	elffile_close(embedded);
	if (symlist_add_go(list, elf) || local)
		return SYMTAB_OWN;
	return exported ? SYMTAB_DYNSYM : SYMTAB_NONE;
}

static enum symtab_source read_tables(
	struct symlist *list, const struct elffile *elf, const struct elffile *debug)
{
	if (elf && symlist_add_table(list, elf, SHT_SYMTAB))
		return SYMTAB_OWN;
	if (debug && symlist_add_table(list, debug, SHT_SYMTAB))
		return SYMTAB_DEBUG;
	return elf ? read_stripped(list, elf) : SYMTAB_NONE;
}

static void read_files(
	struct symimage *image, const struct elffile *elf, const struct elffile *debug)
{
	enum symtab_source source;
	struct symlist list;

	symlist_init(&list);
	source = read_tables(&list, elf, debug);
	if (elf && symlist_add_entry(&list, elf) && source == SYMTAB_NONE)
		source = SYMTAB_DYNSYM;
	symlist_finish(&list, source, image);
}

struct symtab *symtab_new(
	const struct elffile *elf, const struct elffile *debug, struct symstore *store)
{
	struct symtab *tab = xcalloc(1, sizeof(*tab));

	tab->elf = elf;
	if (store && !symstore_get(store, elf, debug, &tab->image))
		return tab;
	read_files(&tab->image, elf, debug);
	if (store)
		symstore_put(store, elf, debug, &tab->image);
	return tab;
}

void symtab_free(struct symtab *tab)
{
	if (!tab)
		return;
	plt_free(tab->plt);
	symimage_release(&tab->image);
	free(tab);
}

enum symtab_source symtab_source(const struct symtab *tab)
{
	return tab->image.header->source;
}

static bool find_function(struct symtab *tab, uint64_t address, struct symtab_hit *hit)
{
	struct symimage_hit found;

	if (!symimage_find(&tab->image, address, &tab->last, &found))
		return false;
	*hit = (struct symtab_hit){
		.name = found.name,
		.name_len = strlen(found.name),
		.start = found.start,
		.end = found.end,
	};
	return true;
}

bool symtab_find(struct symtab *tab, uint64_t address, struct symtab_hit *hit)
{
	struct plt_stub stub;

	if (find_function(tab, address, hit))
		return true;
	if (!tab->elf)
		return false;
	if (!tab->plt)
		tab->plt = plt_new(tab->elf);
	if (!plt_find(tab->plt, address, &stub))
		return false;
	if (stub.name) {
		hit->name = stub.name;
		hit->name_len = strlen(stub.name);
	} else if (!find_function(tab, stub.target, hit)) {
		return false;
	}
	hit->start = stub.start;
	hit->end = UINT64_MAX;
	hit->plt = true;
	return true;
}

/* Uses the symbol tables of the file and its installed debug file, but not .gnu_debugdata. */
static bool is_named_main(const struct elffile *elf, uint64_t address)
{
	struct elffile *debug = debugfile_open(elf, "", &(struct debug_paths){0});
	struct symimage image;
	struct symimage_hit hit;
	struct symlist list;
	uint64_t last = 0;

	symlist_init(&list);
	if (!symlist_add_table(&list, elf, SHT_SYMTAB) &&
		!(debug && symlist_add_table(&list, debug, SHT_SYMTAB)))
		symlist_add_table(&list, elf, SHT_DYNSYM);
	symlist_finish(&list, SYMTAB_NONE, &image);
	elffile_close(debug);
	bool found = symimage_find(&image, address, &last, &hit) && !strcmp(hit.name, "main");

	symimage_release(&image);
	return found;
}

bool symtab_is_main(const struct elffile *elf, uint64_t address)
{
	struct entry_symbol symbols[ENTRY_SYMBOLS];
	size_t nr = entry_symbols(elf, symbols);

	if (nr == ENTRY_SYMBOLS)
		return address >= symbols[1].start && address < symbols[1].end;
	return nr && is_named_main(elf, address);
}
