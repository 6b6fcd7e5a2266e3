/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "elfhead.h"
#include "lib/util.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

/* Anything beyond these limits is ignored. The kernel starts no program with larger tables. */
enum {
	PHDRS_MAX = 1024,
	SHDRS_MAX = 4096,
	NOTES_MAX = 1 << 16, /* bytes of all notes together */
	FIRST = 4096, /* bytes that are read at once, which have all of the head of most files */
};

struct head_source {
	const struct elf_reader *reader;
	unsigned char first[FIRST];
	size_t nr_first;
	bool wide, swapped; /* 64 bits; another byte order than this machine's */
	size_t notes_left;  /* bytes left of NOTES_MAX */
};

/* Reads bytes like elf_reader->read. */
static size_t get(const struct head_source *source, uint64_t offset, void *to, size_t len)
{
	if (offset > source->nr_first || len > source->nr_first - offset)
		return source->reader->read(source->reader->context, offset, to, len);
	memcpy(to, source->first + offset, len);
	return len;
}

static uint16_t half(const struct head_source *source, const unsigned char *at)
{
	uint16_t value;

	memcpy(&value, at, sizeof(value));
	return source->swapped ? __builtin_bswap16(value) : value;
}

static uint32_t word(const struct head_source *source, const unsigned char *at)
{
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	return source->swapped ? __builtin_bswap32(value) : value;
}

/* Reads an address, offset or size. */
static uint64_t extended(const struct head_source *source, const unsigned char *at)
{
	uint64_t value;

	if (!source->wide)
		return word(source, at);
	memcpy(&value, at, sizeof(value));
	return source->swapped ? __builtin_bswap64(value) : value;
}

/* The member M of the header STRUCT at P, according to the file's class. */
#define MEMBER_AT(source, p, struct, m)                                                            \
	((p) + ((source)->wide ? offsetof(Elf64_##struct, m) : offsetof(Elf32_##struct, m)))
#define HALF(source, p, struct, m) half(source, MEMBER_AT(source, p, struct, m))
#define WORD(source, p, struct, m) word(source, MEMBER_AT(source, p, struct, m))
#define EXTENDED(source, p, struct, m) extended(source, MEMBER_AT(source, p, struct, m))
#define SIZE_OF(source, struct) ((source)->wide ? sizeof(Elf64_##struct) : sizeof(Elf32_##struct))

/* ---- notes ---- */

/* Looks for the build-id in the LEN bytes at NOTES, which are at OFFSET of the file. */
static bool find_id(struct elfhead *head, const struct head_source *source,
	const unsigned char *notes, size_t len, uint64_t offset, uint64_t align)
{
	uint64_t at = 0;

	while (at < len && len - at >= sizeof(Elf64_Nhdr)) {
		const unsigned char *note = notes + at;
		uint64_t name_len = word(source, note), desc_len = word(source, note + 4);
		uint64_t name = at + sizeof(Elf64_Nhdr);
		uint64_t desc = (name + name_len + align - 1) / align * align;

		if (desc > len || desc_len > len - desc)
			return false;
		if (word(source, note + 8) == NT_GNU_BUILD_ID && name_len == sizeof(ELF_NOTE_GNU) &&
			!memcmp(notes + name, ELF_NOTE_GNU, sizeof(ELF_NOTE_GNU))) {
			if (desc_len <= BUILD_ID_MAX) {
				head->id_len = desc_len;
				head->id_offset = offset + desc;
				memcpy(head->id, notes + desc, desc_len);
			}
			return true;
		}
		at = (desc + desc_len + align - 1) / align * align;
	}
	return false;
}

/* Looks for the build-id in the SIZE bytes at OFFSET of the file. */
static bool read_notes(struct elfhead *head, struct head_source *source, uint64_t offset,
	uint64_t size, uint64_t align)
{
	size_t len = size < source->notes_left ? (size_t)size : source->notes_left;
	bool found;

	if (!len || offset > INT64_MAX)
		return false;
	unsigned char *notes = xmalloc(len);

	source->notes_left -= len;
	len = get(source, offset, notes, len);
	found = find_id(head, source, notes, len, offset, align == 8 ? 8 : 4);
	free(notes);
	return found;
}

/* ---- tables of headers ---- */

/* Returns NR headers of SIZE bytes at OFFSET, or as many as there are. The caller frees them. */
static unsigned char *read_table(
	const struct head_source *source, uint64_t offset, size_t size, size_t *nr)
{
	unsigned char *table;

	if (!*nr || !offset || offset > INT64_MAX)
		return NULL;
	table = xmalloc(*nr * size);
	*nr = get(source, offset, table, *nr * size) / size;
	return table;
}

static void add_segment(
	struct elfhead *head, const struct head_source *source, const unsigned char *phdr)
{
	struct elf_segment s = {
		.offset = EXTENDED(source, phdr, Phdr, p_offset),
		.size = EXTENDED(source, phdr, Phdr, p_filesz),
		.address = EXTENDED(source, phdr, Phdr, p_vaddr),
		.code = WORD(source, phdr, Phdr, p_flags) & PF_X,
	};

	if (s.size <= UINT64_MAX - s.offset && s.size <= UINT64_MAX - s.address)
		head->segments[head->nr_segments++] = s;
}

/* Reads the program headers. Returns whether the build-id was found. */
static bool read_segments(
	struct elfhead *head, struct head_source *source, const unsigned char *ehdr, size_t nr)
{
	size_t size = SIZE_OF(source, Phdr);
	bool found = false;

	if (nr > PHDRS_MAX)
		nr = PHDRS_MAX;
	unsigned char *table = read_table(source, EXTENDED(source, ehdr, Ehdr, e_phoff), size, &nr);

	if (!table)
		return false;
	head->segments = xcalloc(nr ? nr : 1, sizeof(*head->segments));
	for (size_t i = 0; i < nr; i++) {
		const unsigned char *phdr = table + i * size;
		uint32_t type = WORD(source, phdr, Phdr, p_type);

		if (type == PT_LOAD)
			add_segment(head, source, phdr);
		else if (type == PT_NOTE && !found)
			found = read_notes(head, source, EXTENDED(source, phdr, Phdr, p_offset),
				EXTENDED(source, phdr, Phdr, p_filesz),
				EXTENDED(source, phdr, Phdr, p_align));
	}
	free(table);
	return found;
}

/* Finds the build-id of a file whose program headers do not lead to it, such as an object file. */
static void read_sections(
	struct elfhead *head, struct head_source *source, const unsigned char *ehdr)
{
	size_t size = SIZE_OF(source, Shdr);
	size_t nr = head->nr_sections < SHDRS_MAX ? head->nr_sections : SHDRS_MAX;
	bool found = false;
	unsigned char *table = read_table(source, EXTENDED(source, ehdr, Ehdr, e_shoff), size, &nr);

	for (size_t i = 0; table && i < nr && !found; i++) {
		const unsigned char *shdr = table + i * size;

		if (WORD(source, shdr, Shdr, sh_type) == SHT_NOTE)
			found = read_notes(head, source, EXTENDED(source, shdr, Shdr, sh_offset),
				EXTENDED(source, shdr, Shdr, sh_size),
				EXTENDED(source, shdr, Shdr, sh_addralign));
	}
	free(table);
}

/*
 * Counts the program headers and sections. Numbers that are too large for the header are in the
 * first section.
 */
static void count_headers(const struct head_source *source, const unsigned char *ehdr,
	size_t *nr_phdrs, uint64_t *nr_shdrs)
{
	unsigned char first[sizeof(Elf64_Shdr)];
	uint64_t offset = EXTENDED(source, ehdr, Ehdr, e_shoff);
	size_t size = SIZE_OF(source, Shdr);

	*nr_phdrs = HALF(source, ehdr, Ehdr, e_phnum);
	*nr_shdrs = HALF(source, ehdr, Ehdr, e_shnum);
	if ((*nr_phdrs != PN_XNUM && *nr_shdrs) || !offset || offset > INT64_MAX ||
		get(source, offset, first, size) < size)
		return;
	if (*nr_phdrs == PN_XNUM)
		*nr_phdrs = WORD(source, first, Shdr, sh_info);
	if (!*nr_shdrs)
		*nr_shdrs = EXTENDED(source, first, Shdr, sh_size);
}

static bool read_ident(struct head_source *source)
{
	const unsigned char *ident = source->first;
	static const uint16_t one = 1;
	bool little = *(const unsigned char *)&one;

	if (source->nr_first < EI_NIDENT || memcmp(ident, ELFMAG, SELFMAG) ||
		(ident[EI_CLASS] != ELFCLASS32 && ident[EI_CLASS] != ELFCLASS64) ||
		(ident[EI_DATA] != ELFDATA2LSB && ident[EI_DATA] != ELFDATA2MSB) ||
		ident[EI_VERSION] != EV_CURRENT)
		return false;
	source->wide = ident[EI_CLASS] == ELFCLASS64;
	source->swapped = (ident[EI_DATA] == ELFDATA2LSB) != little;
	return source->nr_first >= SIZE_OF(source, Ehdr);
}

bool elfhead_read(struct elfhead *head, const struct elf_reader *reader)
{
	struct head_source source = {.reader = reader, .notes_left = NOTES_MAX};
	size_t nr_phdrs;

	*head = (struct elfhead){0};
	source.nr_first = reader->read(reader->context, 0, source.first, sizeof(source.first));
	if (!read_ident(&source))
		return false;
	head->type = HALF(&source, source.first, Ehdr, e_type);
	count_headers(&source, source.first, &nr_phdrs, &head->nr_sections);
	if (!read_segments(head, &source, source.first, nr_phdrs))
		read_sections(head, &source, source.first);
	return true;
}

void elfhead_release(struct elfhead *head)
{
	free(head->segments);
	*head = (struct elfhead){0};
}
