/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Small x86-64 programs in memory, from the bytes of their sections. */
#ifndef TESTS_UNIT_TINY_ELF_H
#define TESTS_UNIT_TINY_ELF_H

#include "lib/strbuf.h"

#include <elf.h>
#include <stdint.h>
#include <string.h>

enum { TINY_SECTIONS = 16, TINY_BASE = 0x10000, TINY_FIRST = TINY_BASE + 0x100 };

struct tiny_section {
	const char *name; /* or NULL if there is none */
	const void *data;
	size_t size;
};

static inline void tiny_pad(struct strbuf *sb, size_t to)
{
	while (sb->len % to)
		strbuf_addch(sb, '\0');
}

/* Makes an IMAGE of up to TINY_SECTIONS sections. The first one has the address TINY_FIRST; all are
 * in one executable segment, at TINY_BASE plus their offset in the file. */
static inline void tiny_elf(struct strbuf *image, const struct tiny_section *sections)
{
	Elf64_Ehdr ehdr = {
		.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
			EV_CURRENT},
		.e_type = ET_DYN,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_phoff = sizeof(ehdr),
		.e_ehsize = sizeof(ehdr),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 1,
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = 2,
		.e_shstrndx = 1,
	};
	Elf64_Shdr shdrs[2 + TINY_SECTIONS] = {{0}};
	struct strbuf names = STRBUF_INIT;

	strbuf_add(&names, "\0.shstrtab", 11);
	strbuf_add(image, &ehdr, sizeof(ehdr));
	tiny_pad(image, TINY_FIRST - TINY_BASE);
	for (int i = 0; i < TINY_SECTIONS && sections[i].name; i++) {
		shdrs[ehdr.e_shnum++] = (Elf64_Shdr){
			.sh_name = (uint32_t)names.len,
			.sh_type = SHT_PROGBITS,
			.sh_flags = SHF_ALLOC | SHF_EXECINSTR,
			.sh_addr = TINY_BASE + image->len,
			.sh_offset = image->len,
			.sh_size = sections[i].size,
		};
		strbuf_add(&names, sections[i].name, strlen(sections[i].name) + 1);
		strbuf_add(image, sections[i].data, sections[i].size);
		tiny_pad(image, 16);
	}
	shdrs[1] = (Elf64_Shdr){
		.sh_name = 1,
		.sh_type = SHT_STRTAB,
		.sh_offset = image->len,
		.sh_size = names.len,
	};
	strbuf_add(image, names.buf, names.len);
	tiny_pad(image, 16);
	ehdr.e_shoff = image->len;
	strbuf_add(image, shdrs, ehdr.e_shnum * sizeof(*shdrs));
	Elf64_Phdr phdr = {
		.p_type = PT_LOAD,
		.p_flags = PF_R | PF_X,
		.p_vaddr = TINY_BASE,
		.p_filesz = image->len,
		.p_memsz = image->len,
	};

	memcpy(image->buf, &ehdr, sizeof(ehdr));
	memcpy(image->buf + sizeof(ehdr), &phdr, sizeof(phdr));
	strbuf_release(&names);
}

#endif
