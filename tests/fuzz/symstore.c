/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A symbol table as it is on disk. Random bytes are hardly ever a valid table. The input is
 * therefore used a second time with valid numbers where they are required, and anything in the
 * rest.
 */
#include "fuzz.h"
#include "lib/util.h"
#include "symbol/elf/symimage.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void find(const struct symimage *image, uint64_t address, uint64_t *last)
{
	struct symimage_hit hit, again;
	uint64_t none = 0;
	bool found = symimage_find(image, address, last, &hit);

	if (found)
		must(strlen(hit.name) < image->header->names);
	/* a lookup that goes on from the last one gives the same as one from the start */
	if (symimage_find(image, address, &none, &again) && found && none == *last)
		must(hit.name == again.name && hit.start == again.start);
}

static void use(const uint8_t *data, size_t size)
{
	struct symimage image;
	uint64_t last = 0;
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	must(fd >= 0 && !write_whole(fd, data, size));
	if (!symimage_open(&image, fd)) {
		must(image.size == size);
		find(&image, 0, &last);
		find(&image, UINT64_MAX, &last);
		for (size_t at = 0; at + 8 <= size; at += 8) {
			uint64_t address;

			memcpy(&address, data + at, sizeof(address));
			find(&image, address, &last);
			find(&image, address + 1, &last);
		}
		symimage_release(&image);
	}
	close(fd);
}

static void mend(uint8_t *data, size_t size)
{
	const uint64_t part = sizeof(struct symimage_part);
	struct symimage_header *h = (struct symimage_header *)data;
	uint64_t rest = size - sizeof(*h);

	h->names = (h->names % rest / part + 1) * part;
	h->parts = (rest - h->names) / part;
	data[sizeof(*h) + h->names - 1] = 0;
	h->checksum = symimage_checksum(h, h + 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const size_t part = sizeof(struct symimage_part), header = sizeof(struct symimage_header);

	use(data, size);
	if (size < header + part)
		return 0;
	size = header + (size - header) / part * part;
	uint8_t *copy = xmalloc(size);

	memcpy(copy, data, size);
	mend(copy, size);
	use(copy, size);
	free(copy);
	return 0;
}
