/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fuzz.h"
#include "symbol/names/perfmap.h"

#include <string.h>

enum { RANGE = 0x1000, NR = 3 * RANGE };

/* A function that is found at an address is found from its start up to that address. */
static void check(const struct perfmap *map, const uint64_t *addresses, size_t i)
{
	const char *name, *again;
	uint64_t offset, offset2;

	if (!perfmap_find(map, i, &name, &offset))
		return;
	must(*name && !strchr(name, '\n') && offset <= addresses[i]);
	if (offset <= i && addresses[i - offset] == addresses[i] - offset &&
		perfmap_find(map, i - offset, &again, &offset2) && again == name)
		must(!offset2);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint64_t addresses[NR];
	struct perfmap *map;
	struct lines lines;

	for (uint64_t i = 0; i < RANGE; i++) {
		addresses[i] = i;
		addresses[RANGE + i] = 0x7f0000000000 + i;
		addresses[2 * RANGE + i] = UINT64_MAX - RANGE + 1 + i;
	}
	fuzz_lines(&lines, data, size);
	map = perfmap_read(lines.fd, addresses, NR);
	fuzz_lines_end(&lines);
	for (size_t i = 0; i < NR; i++)
		check(map, addresses, i);
	perfmap_free(map);
	return 0;
}
