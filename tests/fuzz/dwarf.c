/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Debug information. An input consists of pieces: each has a byte for the section, two bytes for
 * the size, and the content. The upper half of the section numbers are sections of the file of
 * common parts.
 */
#include "../unit/tiny_elf.h"
#include "fuzz.h"
#include "mutate.h"
#include "symbol/dwarf/debuginfo.h"
#include "symbol/dwarf/debugtype.h"
#include "symbol/elf/elffile_internal.h"

#include <stdlib.h>

enum { TEXT = 1024, STEP = 3, PIECE_HEAD = 3, PIECES = 2 * (TINY_SECTIONS - 1) };

static const char *const names[] = {".debug_info", ".debug_abbrev", ".debug_line", ".debug_str",
	".debug_line_str", ".debug_ranges", ".debug_rnglists", ".debug_addr", ".debug_str_offsets",
	".debug_types", ".debug_loc", ".debug_loclists", ".debug_aranges"};

struct piece {
	uint8_t kind;
	const uint8_t *data;
	size_t size;
};

static size_t split(const uint8_t *data, size_t size, struct piece *pieces)
{
	size_t nr = 0;

	while (nr < PIECES && size >= PIECE_HEAD) {
		size_t len = data[1] | (size_t)data[2] << 8;

		if (len > size - PIECE_HEAD)
			len = size - PIECE_HEAD;
		pieces[nr++] = (struct piece){data[0], data + PIECE_HEAD, len};
		data += PIECE_HEAD + len;
		size -= PIECE_HEAD + len;
	}
	return nr;
}

static struct elffile *make(const struct piece *pieces, size_t nr, bool alt)
{
	static const char text[TEXT];
	struct tiny_section sections[TINY_SECTIONS] = {{".text", text, sizeof(text)}};
	struct strbuf image = STRBUF_INIT;
	size_t n = 1;

	for (size_t i = 0; i < nr && n < TINY_SECTIONS; i++)
		if ((pieces[i].kind >= 0x80) == alt)
			sections[n++] = (struct tiny_section){
				names[(pieces[i].kind & 0x7f) % ARRAY_LEN(names)], pieces[i].data,
				pieces[i].size};
	if (n == 1)
		return NULL;
	tiny_elf(&image, sections);
	struct elffile *elf = elffile_open_memory(image.buf, image.len);

	must(elf);
	strbuf_release(&image);
	return elf;
}

struct taken {
	size_t next; /* the lowest address that may follow */
	bool inlines;
	size_t bytes; /* of all names */
};

static void take(void *arg, size_t i, const struct debuginfo_frame *frames, size_t nr)
{
	struct taken *taken = arg;

	must(i >= taken->next && i < TEXT / STEP);
	must(nr && (taken->inlines || nr == 1));
	taken->next = i + 1;
	for (size_t k = 0; k < nr; k++) {
		taken->bytes += frames[k].function ? strlen(frames[k].function) : 0;
		taken->bytes += frames[k].file ? strlen(frames[k].file) : 0;
	}
}

static void look_for_types(const struct elffile *elf, const struct elffile *alt)
{
	struct debugtypes *types = debugtypes_new(elf, alt);
	struct debug_member member;
	uint32_t value;

	if (types) {
		debugtypes_member(types, "s", "a|b.c", &member);
		debugtypes_member(types, "main", "", &member);
		debugtypes_enumerator(types, "e", "a", &value);
	}
	debugtypes_free(types);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct piece pieces[PIECES];
	size_t nr = split(data, size, pieces);
	struct elffile *elf = make(pieces, nr, false), *alt = make(pieces, nr, true);
	struct debuginfo *di = elf ? debuginfo_new(elf, alt) : NULL;
	uint64_t addresses[TEXT / STEP];

	for (size_t i = 0; i < TEXT / STEP; i++)
		addresses[i] = TINY_FIRST + STEP * i;
	for (int inlines = 0; di && inlines < 2; inlines++) {
		struct taken taken = {.inlines = inlines};

		if (inlines)
			debuginfo_find_positions(di);
		debuginfo_find(di, addresses, TEXT / STEP, inlines, take, &taken);
	}
	debuginfo_free(di);
	if (elf)
		look_for_types(elf, alt);
	elffile_close(elf);
	elffile_close(alt);
	return 0;
}

/* ---- mutations that keep the pieces valid ---- */

/* Writes as many of PIECES to DATA as fit into MAX bytes. */
static size_t join(const struct piece *pieces, size_t nr, uint8_t *data, size_t max)
{
	size_t size = 0;

	for (size_t i = 0; i < nr; i++) {
		const struct piece *p = &pieces[i];

		if (p->size > UINT16_MAX || max - size < PIECE_HEAD + p->size)
			continue;
		data[size] = p->kind;
		data[size + 1] = p->size & 0xff;
		data[size + 2] = (uint8_t)(p->size >> 8);
		memcpy(data + size + PIECE_HEAD, p->data, p->size);
		size += PIECE_HEAD + p->size;
	}
	return size;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned int seed)
{
	uint64_t random = seed;
	struct piece pieces[PIECES];
	size_t nr = split(data, size, pieces);

	if (!nr || !mutate_random(&random, 32))
		return LLVMFuzzerMutate(data, size, max);
	struct piece *p = &pieces[mutate_random(&random, nr)];
	uint8_t *changed = xmalloc(max), *whole = xmalloc(max);

	memcpy(changed, p->data, p->size);
	p->data = changed;
	p->size = LLVMFuzzerMutate(changed, p->size, max);
	if (!mutate_random(&random, 64))
		p->kind = (uint8_t)random;
	size = join(pieces, nr, whole, max);
	memcpy(data, whole, size);
	free(changed);
	free(whole);
	return size;
}
