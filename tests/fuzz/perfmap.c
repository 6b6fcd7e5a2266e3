/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fuzz.h"
#include "symbol/names/perfmap.h"

#include <string.h>

/* Whatever is found is the same function from its start on, up to that address. */
static void check(const struct perfmap *map, uint64_t address)
{
	const char *name, *again;
	uint64_t offset, offset2;

	if (!perfmap_find(map, address, &name, &offset))
		return;
	must(*name && !strchr(name, '\n') && offset <= address);
	if (perfmap_find(map, address - offset, &again, &offset2) && again == name)
		must(!offset2);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct perfmap *map;
	struct lines lines;

	fuzz_lines(&lines, data, size);
	map = perfmap_read(lines.fd);
	fuzz_lines_end(&lines);
	for (uint64_t address = 0; address < 0x1000; address++) {
		check(map, address);
		check(map, UINT64_MAX - address);
		check(map, 0x7f0000000000 + address);
	}
	perfmap_free(map);
	return 0;
}
