/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sdt.h"
#include "elffile_internal.h"

#include <string.h>

enum {
	SDT_TYPE = 3,
	SDT_NOTES_MAX = 1 << 16,
	WORDS = 3, /* before the texts: the mark's address, the base section's, the semaphore's */
};

/* A file whose notes are read. */
struct sdt_file {
	Elf *elf;
	Elf_Data *notes;
	uint64_t base; /* address of the section .stapsdt.base, or 0 */
};

static bool open_notes(struct sdt_file *file, const struct elffile *elf)
{
	GElf_Ehdr ehdr;
	GElf_Shdr shdr;
	Elf_Scn *scn;

	*file = (struct sdt_file){.elf = elffile_elf(elf)};
	if (!file->elf || !gelf_getehdr(file->elf, &ehdr) || ehdr.e_ident[EI_CLASS] != ELFCLASS64 ||
		ehdr.e_ident[EI_DATA] != ELFDATA2LSB)
		return false;
	if (elffile_section(file->elf, ".stapsdt.base", &shdr))
		file->base = shdr.sh_addr;
	scn = elffile_section(file->elf, ".note.stapsdt", &shdr);
	file->notes = scn && shdr.sh_type == SHT_NOTE ? elf_getdata(scn, NULL) : NULL;
	return file->notes;
}

/* Finds the offset in the file of the byte at ADDRESS. Returns false if it is not loaded. */
static bool offset_of(Elf *elf, uint64_t address, uint64_t *offset)
{
	GElf_Phdr phdr;
	size_t n;

	if (elf_getphdrnum(elf, &n))
		return false;
	for (size_t i = 0; i < n && i < INT32_MAX; i++) {
		if (!gelf_getphdr(elf, (int)i, &phdr) || phdr.p_type != PT_LOAD ||
			address - phdr.p_vaddr >= phdr.p_filesz)
			continue;
		*offset = address - phdr.p_vaddr + phdr.p_offset;
		return true;
	}
	return false;
}

/* Returns the text at *AT, and moves *AT past it, or NULL if it does not end before END. */
static const char *take_text(const char **at, const char *end)
{
	const char *text = *at, *zero = memchr(text, '\0', (size_t)(end - text));

	if (!zero)
		return NULL;
	*at = zero + 1;
	return text;
}

/* Reads the NR bytes of a note. Prelinking moves code, but not the addresses in notes. */
static bool read_note(
	const struct sdt_file *file, const char *bytes, size_t nr, struct sdt_note *note)
{
	const char *at = bytes + WORDS * sizeof(uint64_t), *end = bytes + nr;
	uint64_t words[WORDS], moved;

	if (nr < sizeof(words))
		return false;
	memcpy(words, bytes, sizeof(words));
	moved = file->base ? file->base - words[1] : 0;
	*note = (struct sdt_note){.address = words[0] + moved};
	note->provider = take_text(&at, end);
	note->name = note->provider ? take_text(&at, end) : NULL;
	note->arguments = note->name ? take_text(&at, end) : NULL;
	return note->arguments && offset_of(file->elf, note->address, &note->offset) &&
	       (!words[2] || offset_of(file->elf, words[2] + moved, &note->semaphore));
}

void sdt_notes(const struct elffile *elf, void (*take)(void *context, const struct sdt_note *note),
	void *context)
{
	static const char owner[] = "stapsdt";
	size_t at = 0, name, bytes;
	struct sdt_file file;
	struct sdt_note note;
	GElf_Nhdr head;

	if (!open_notes(&file, elf))
		return;
	for (int i = 0; i < SDT_NOTES_MAX; i++) {
		const char *data = file.notes->d_buf;

		at = gelf_getnote(file.notes, at, &head, &name, &bytes);
		if (!at)
			break;
		if (head.n_type == SDT_TYPE && head.n_namesz == sizeof(owner) &&
			!memcmp(data + name, owner, sizeof(owner)) &&
			read_note(&file, data + bytes, head.n_descsz, &note))
			take(context, &note);
	}
}
