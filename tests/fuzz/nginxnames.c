/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of nginx's modules whose static functions are found in an ELF file, which may contain
 * anything. */
#include "fuzz.h"
#include "lib/util.h"
#include "mutate_elf.h"
#include "symbol/elf/elffile_internal.h"
#include "symbol/nginx_names.h"

#include <string.h>

enum { NAME_MAX_BYTES = 64, PLACES = 128 };

/* Every seventeenth byte of the first 256 begins a function with a symbol. */
static bool has_symbol(void *context, uint64_t address)
{
	must(context);
	return address < 256 && address % 17 == 0;
}

/* Checks that a name that is found is in the file. */
static void look_up(struct nginx_names *n, uint64_t at, const uint8_t *data, size_t size)
{
	const char *name = nginx_names_find(n, at);
	char kept[NAME_MAX_BYTES + 1];
	size_t len = name ? strlen(name) : 0;

	if (!name)
		return;
	must(len && len <= NAME_MAX_BYTES && memmem(data, size, name, len + 1));
	memcpy(kept, name, len + 1);
	name = nginx_names_find(n, at);
	must(name && !strcmp(name, kept));
}

static void look_up_all(
	struct nginx_names *n, const struct elffile *elf, const uint8_t *data, size_t size)
{
	struct elf_code code[4];
	size_t nr = elffile_code(elf, code, ARRAY_LEN(code));

	look_up(n, 0, data, size);
	look_up(n, UINT64_MAX, data, size);
	for (size_t i = 0; i < nr; i++)
		for (uint64_t k = 0; k <= PLACES; k++)
			look_up(n, code[i].address + code[i].size / PLACES * k + k % 4, data, size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct elffile *elf = elffile_open_memory(data, size);
	struct nginx_names *names = elf ? nginx_names_new(elf, has_symbol, elf) : NULL;

	if (names)
		look_up_all(names, elf, data, size);
	nginx_names_free(names);
	elffile_close(elf);
	return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned int seed)
{
	return mutate_elf(data, size, max, seed);
}
