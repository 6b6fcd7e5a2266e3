/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symimage.h"
#include "lib/util.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

/* "ftnames" in native byte order */
#define MAGIC 0x0073656d616e7466

enum { FORMAT = 1, NEAR = 1024 /* parts */ };

static const char *names_of(const struct symimage *image)
{
	return (const char *)(image->header + 1);
}

static const struct symimage_part *parts_of(const struct symimage *image)
{
	return (const void *)(names_of(image) + image->header->names);
}

void symimage_make(
	struct symimage *image, void *bytes, uint64_t names, uint64_t parts, uint32_t source)
{
	struct symimage_header *header = bytes;

	*header = (struct symimage_header){
		.magic = MAGIC,
		.version = FORMAT,
		.source = source,
		.names = names,
		.parts = parts,
	};
	*image = (struct symimage){
		.header = header,
		.size = sizeof(*header) + names + parts * sizeof(struct symimage_part),
	};
}

uint64_t symimage_checksum(const struct symimage_header *header, const void *rest)
{
	uint64_t size = header->names + header->parts * sizeof(struct symimage_part);

	return hash_u64(hash_bytes(header, offsetof(struct symimage_header, checksum))) ^
	       hash_words(rest, size / sizeof(uint64_t));
}

int symimage_write(const struct symimage *image, int fd, const struct symimage_origin *elf,
	const struct symimage_origin *debug)
{
	struct symimage_header header = *image->header;
	size_t rest = image->size - sizeof(header);

	header.elf = *elf;
	header.debug = *debug;
	header.checksum = symimage_checksum(&header, image->header + 1);
	return write_whole(fd, &header, sizeof(header)) || write_whole(fd, image->header + 1, rest)
		       ? -1
		       : 0;
}

static bool is_whole(const struct symimage *image)
{
	const struct symimage_header *h = image->header;
	size_t rest = image->size - sizeof(*h);

	if (h->magic != MAGIC || h->version != FORMAT || !h->names || h->names > rest ||
		h->names % sizeof(uint64_t) || h->parts > UINT32_MAX ||
		h->parts * sizeof(struct symimage_part) != rest - h->names)
		return false;
	return !names_of(image)[h->names - 1] && h->checksum == symimage_checksum(h, h + 1);
}

int symimage_open(struct symimage *image, int fd)
{
	struct stat st;
	void *at;

	*image = (struct symimage){0};
	if (fstat(fd, &st) || st.st_size < (off_t)sizeof(*image->header))
		return -1;
	/* the checksum reads the whole file at once */
	at = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0);
	if (at == MAP_FAILED)
		return -1;
	*image = (struct symimage){.bytes = at, .size = (size_t)st.st_size, .mapped = true};
	if (is_whole(image))
		return 0;
	symimage_release(image);
	return -1;
}

void symimage_release(struct symimage *image)
{
	if (image->mapped)
		munmap((void *)image->bytes, image->size);
	else
		free((void *)image->bytes);
	*image = (struct symimage){0};
}

/*
 * Returns the number of parts that start at or before ADDRESS. This is a galloping search from LAST
 * (Bentley and Yao, "An almost optimal algorithm for unbounded searching"), or a binary search if
 * the part is far away.
 */
static uint64_t count_until(
	const struct symimage_part *parts, uint64_t nr, uint64_t last, uint64_t address)
{
	uint64_t low = 0, high = last, step = 1;

	for (; step <= NEAR && high < nr && parts[high].start <= address; step *= 2) {
		low = high + 1;
		high += step;
	}
	if (high > nr || step > NEAR)
		high = nr;
	while (low < high) {
		uint64_t mid = low + (high - low) / 2;

		if (parts[mid].start <= address)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

bool symimage_find(
	const struct symimage *image, uint64_t address, uint64_t *last, struct symimage_hit *hit)
{
	const struct symimage_part *parts = parts_of(image), *part;
	uint64_t nr = image->header->parts;
	uint64_t count = count_until(parts, nr, *last, address);

	if (!count)
		return false;
	*last = count - 1;
	part = &parts[count - 1];
	if (!part->name || part->name >= image->header->names || part->first >= nr)
		return false;
	hit->name = names_of(image) + part->name;
	hit->start = parts[part->first].start;
	hit->end = count < nr ? parts[count].start : UINT64_MAX;
	return true;
}
