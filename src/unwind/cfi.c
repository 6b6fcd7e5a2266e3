/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CIEs and FDEs are parsed here because libdw's dwarf_next_cfi reads an augmentation string beyond
 * the end of the entry.
 */
#include "cfi.h"
#include "cfa.h"
#include "lib/table.h"
#include "lib/util.h"
#include "pointer.h"
#include "range.h"
#include "rows.h"
#include "symbol/elf/elffile_internal.h"
#include "symbol/elf/inflated.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

enum {
	CIES_MAX = 1 << 16,
	/* bytes of a section; larger sections are damaged or hostile */
	SIZE_LIMIT = 1 << 28,
};

struct cie {
	bool good;
	struct cfa_common common;
};

struct cfi {
	struct pointer_bases bases;
	size_t size;
	bool eh_frame;
	struct cie *cies;
	size_t nr_cies, cies_alloc;
	struct table by_offset; /* (offset in the section, 0) -> number of a CIE */
};

static struct cfi *cfi_new(
	const struct elffile *elf, const Elf_Data *data, uint64_t address, bool eh_frame)
{
	struct cfi *cfi;
	GElf_Shdr got;

	if (!data || !data->d_buf || data->d_size > SIZE_LIMIT)
		return NULL;
	cfi = xcalloc(1, sizeof(*cfi));
	cfi->bases.data = data->d_buf;
	cfi->bases.address = address;
	if (elffile_section(elffile_elf(elf), ".got.plt", &got) ||
		elffile_section(elffile_elf(elf), ".got", &got))
		cfi->bases.got = got.sh_addr;
	cfi->size = data->d_size;
	cfi->eh_frame = eh_frame;
	table_init(&cfi->by_offset);
	return cfi;
}

struct cfi *cfi_eh_frame(const struct elffile *elf)
{
	GElf_Shdr shdr;
	Elf_Scn *scn = elffile_section(elffile_elf(elf), ".eh_frame", &shdr);

	return scn ? cfi_new(elf, elf_rawdata(scn, NULL), shdr.sh_addr, true) : NULL;
}

struct cfi *cfi_debug_frame(const struct elffile *elf)
{
	GElf_Shdr shdr;
	Elf_Scn *scn = elffile_section(elffile_elf(elf), ".debug_frame", &shdr);

	if (scn && (shdr.sh_flags & SHF_COMPRESSED)) {
		if (!inflated_is_sane(scn, &shdr, ".debug_frame") || elf_compress(scn, 0, 0) < 0)
			return NULL;
	} else if (!scn) {
		scn = elffile_section(elffile_elf(elf), ".zdebug_frame", &shdr);
		if (!scn || !inflated_is_sane(scn, &shdr, ".zdebug_frame") ||
			elf_compress_gnu(scn, 0, 0) < 0)
			return NULL;
	}
	return cfi_new(elf, elf_getdata(scn, NULL), shdr.sh_addr, false);
}

void cfi_free(struct cfi *cfi)
{
	if (!cfi)
		return;
	table_release(&cfi->by_offset);
	free(cfi->cies);
	free(cfi);
}

struct entry {
	bool is_cie;
	uint64_t cie;      /* otherwise the offset of its CIE */
	struct bytes body; /* the rest of the entry */
};

static bool entry_id(const struct cfi *cfi, struct entry *entry, unsigned int size)
{
	uint64_t at = (uint64_t)(entry->body.at - cfi->bases.data);
	uint64_t id = bytes_number(&entry->body, size);

	if (cfi->eh_frame) {
		entry->is_cie = !id;
		entry->cie = at - id;
	} else {
		entry->is_cie = id == (size == 4 ? DW_CIE_ID_32 : DW_CIE_ID_64);
		entry->cie = id;
	}
	return !entry->body.bad;
}

/* Reads the entry at *OFFSET and moves *OFFSET to the next one. Returns false at the end. */
static bool next_entry(const struct cfi *cfi, uint64_t *offset, struct entry *entry)
{
	const unsigned char *data = cfi->bases.data;

	while (*offset < cfi->size) {
		struct bytes b = {.at = data + *offset, .end = data + cfi->size};
		uint64_t length = bytes_number(&b, 4);
		unsigned int size = length == UINT32_MAX ? 8 : 4;

		if (size == 8)
			length = bytes_number(&b, 8);
		entry->body = (struct bytes){.at = b.at, .bad = b.bad};
		if (!bytes_take(&b, length) || b.bad)
			return false;
		entry->body.end = b.at;
		*offset = (uint64_t)(b.at - data);
		/* an empty entry is a terminator, but linkers may put more entries after it */
		if (length && entry_id(cfi, entry, size))
			return true;
	}
	return false;
}

/* Reads the augmentation data, which the letters after z describe. */
static bool read_augmentation(
	struct cfa_common *common, const unsigned char *letters, struct bytes data)
{
	uint64_t unused;

	for (; *letters; letters++) {
		switch (*letters) {
		case 'R':
			common->encoding = (unsigned char)bytes_number(&data, 1);
			break;
		case 'L':
			bytes_number(&data, 1);
			break;
		case 'P':
			/* skipped */
			if (!pointer_read(&data, common->bases,
				    (unsigned char)bytes_number(&data, 1) & 0x0f, &unused))
				return false;
			break;
		case 'S':
			common->signal = true;
			break;
		default:
			return false;
		}
	}
	return !data.bad;
}

/* CIEs of version 4 have the sizes of addresses and segment selectors. */
static bool read_widths(struct bytes *b, uint64_t version)
{
	return version < 4 || (bytes_number(b, 1) == 8 && bytes_number(b, 1) == 0);
}

static bool read_cie(struct cfa_common *common, struct bytes b)
{
	uint64_t version = bytes_number(&b, 1);
	const unsigned char *letters = b.at;
	const unsigned char *nul = memchr(b.at, '\0', (size_t)(b.end - b.at));

	if (!nul || (version != 1 && version != 3 && version != 4))
		return false;
	bytes_take(&b, (uint64_t)(nul - letters) + 1);
	if (!read_widths(&b, version))
		return false;
	common->code_align = bytes_uleb(&b);
	common->data_align = bytes_sleb(&b);
	if ((version == 1 ? bytes_number(&b, 1) : bytes_uleb(&b)) != REG_PC)
		return false;
	common->sized = *letters == 'z';
	if (common->sized) {
		uint64_t size = bytes_uleb(&b);
		struct bytes data = {.at = bytes_take(&b, size), .end = b.at};

		if (!data.at || !read_augmentation(common, letters + 1, data))
			return false;
	} else if (*letters) {
		return false;
	}
	return !b.bad && cfa_begin(common, b);
}

/*
 * Returns the CIE at OFFSET, valid until the next call, or NULL if it is malformed or not for this
 * machine.
 */
static const struct cfa_common *cie_at(struct cfi *cfi, uint64_t offset)
{
	struct entry entry;
	bool is_new;
	uint32_t *number;

	if (cfi->nr_cies >= CIES_MAX && !table_get(&cfi->by_offset, offset, 0))
		return NULL;
	number = table_put(&cfi->by_offset, offset, 0, &is_new);
	if (is_new) {
		struct cie cie = {.common.bases = &cfi->bases};

		*number = (uint32_t)cfi->nr_cies;
		cie.good = next_entry(cfi, &offset, &entry) && entry.is_cie &&
			   read_cie(&cie.common, entry.body);
		ALLOC_GROW(cfi->cies, cfi->nr_cies, cfi->cies_alloc);
		cfi->cies[cfi->nr_cies++] = cie;
	}
	return cfi->cies[*number].good ? &cfi->cies[*number].common : NULL;
}

struct fde {
	const struct cfa_common *common;
	uint64_t start, size;
	struct bytes program;
};

static bool read_fde(struct cfi *cfi, const struct entry *entry, struct fde *fde)
{
	struct bytes *b = &fde->program;

	*b = entry->body;
	fde->common = cie_at(cfi, entry->cie);
	if (!fde->common || !pointer_read(b, &cfi->bases, fde->common->encoding, &fde->start) ||
		!pointer_read(b, &cfi->bases, fde->common->encoding & 0x0f, &fde->size))
		return false;
	if (fde->common->sized)
		bytes_take(b, bytes_uleb(b));
	return !b->bad;
}

void cfi_ranges(struct cfi *cfi, struct unwind_ranges *ranges)
{
	uint64_t offset = 0, at = 0;
	struct entry entry;
	struct fde fde;

	for (; next_entry(cfi, &offset, &entry); at = offset)
		if (!entry.is_cie && read_fde(cfi, &entry, &fde))
			unwind_ranges_add(ranges, fde.start, fde.size, at);
}

/* Looks for DW_CFA_val_expression of REG_SP whose value is relative to it. */
bool cfi_may_have_host(const struct cfi *cfi)
{
	const unsigned char *at = cfi->bases.data, *end = at + cfi->size;

	while (end - at >= 4 && (at = memchr(at, DW_CFA_val_expression, (size_t)(end - at) - 3))) {
		if (at[1] == REG_SP && at[3] == DW_OP_breg0 + REG_SP)
			return true;
		at++;
	}
	return false;
}

void cfi_rows(struct cfi *cfi, const struct unwind_range *range, struct unwind_rows *rows)
{
	uint64_t offset = range->where;
	struct entry entry;
	struct fde fde;

	if (next_entry(cfi, &offset, &entry) && read_fde(cfi, &entry, &fde))
		cfa_run(fde.common, fde.program, range, rows);
}
