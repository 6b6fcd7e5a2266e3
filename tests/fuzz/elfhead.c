/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The head of an ELF file that another program changes while it is read. The reader reads a bounded
 * number of bytes, and its results are in bounds. If the file does not change and libelf accepts
 * it, the results equal libelf's.
 */
#include "symbol/elf/elfhead.h"
#include "fuzz.h"
#include "symbol/elf/elffile_internal.h"

#include <stdlib.h>
#include <string.h>

enum { BYTES_MAX = 1 << 20, SEGMENTS_MAX = 1 << 10 };

struct changing {
	const uint8_t *data;
	size_t size;
	size_t read;    /* bytes that were requested */
	unsigned reads; /* before the file is cut, or 0 if it is not cut */
};

static size_t read_data(const void *context, uint64_t offset, void *to, size_t len)
{
	/* the counter changes, but the reader's context is const */
	struct changing *c = *(struct changing *const *)context;
	size_t size = c->size;

	c->read += len;
	must(len <= BYTES_MAX && c->read <= BYTES_MAX);
	if (c->reads && !--c->reads)
		c->size = size /= 2;
	if (offset >= size)
		return 0;
	if (len > size - offset)
		len = size - offset;
	memcpy(to, c->data + offset, len);
	return len;
}

static bool read_head(struct elfhead *head, const uint8_t *data, size_t size, unsigned reads)
{
	struct changing c = {data, size, 0, reads}, *p = &c;

	return elfhead_read(head, &(struct elf_reader){read_data, &p});
}

static void check(const struct elfhead *head, size_t size)
{
	must(head->nr_segments <= SEGMENTS_MAX && head->id_len <= BUILD_ID_MAX);
	must(!head->id_len || (head->id_offset <= size && head->id_len <= size - head->id_offset));
	for (size_t i = 0; i < head->nr_segments; i++) {
		const struct elf_segment *s = &head->segments[i];

		must(s->offset + s->size >= s->offset && s->address + s->size >= s->address);
	}
}

static bool same_segment(const struct elf_segment *s, const GElf_Phdr *phdr)
{
	return s->offset == phdr->p_offset && s->size == phdr->p_filesz &&
	       s->address == phdr->p_vaddr && s->code == !!(phdr->p_flags & PF_X);
}

static void compare(const struct elfhead *head, const uint8_t *data, size_t size)
{
	char *copy = malloc(size);
	size_t nr_headers = 0, nr = 0;
	GElf_Phdr phdr;
	GElf_Ehdr ehdr;

	memcpy(copy, data, size);
	elf_version(EV_CURRENT);
	Elf *elf = elf_memory(copy, size);

	must(!elf || !gelf_getehdr(elf, &ehdr) || ehdr.e_type == head->type);
	if (elf && !elf_getphdrnum(elf, &nr_headers) && nr_headers <= SEGMENTS_MAX)
		for (size_t i = 0; i < nr_headers && gelf_getphdr(elf, (int)i, &phdr); i++)
			if (phdr.p_type == PT_LOAD && phdr.p_filesz <= UINT64_MAX - phdr.p_offset &&
				phdr.p_filesz <= UINT64_MAX - phdr.p_vaddr)
				must(nr < head->nr_segments &&
					same_segment(&head->segments[nr++], &phdr));
	elf_end(elf);
	free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct elfhead head;

	if (!read_head(&head, data, size, 0))
		return 0;
	check(&head, size);
	compare(&head, data, size);
	elfhead_release(&head);
	for (unsigned reads = 2; reads < 6; reads++)
		if (read_head(&head, data, size, reads)) {
			check(&head, size);
			elfhead_release(&head);
		}
	return 0;
}
