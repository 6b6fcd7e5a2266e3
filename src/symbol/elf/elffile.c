/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "elffile_internal.h"
#include "lib/untrusted/file.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "relocated.h"

#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef SHT_X86_64_UNWIND
#define SHT_X86_64_UNWIND 0x70000001
#endif

enum { BUILD_ID_MAX = 64, COPY_CHUNK = 1 << 18 };

struct segment {
	uint64_t offset, size, address;
	bool code;
};

struct elffile {
	int fd;                      /* -1: in memory */
	void *image;                 /* in memory: our copy */
	struct relocated *relocated; /* what elf belongs to; NULL: to us */
	Elf *elf;
	struct segment *segments;
	size_t nr_segments;
	char build_id[2 * BUILD_ID_MAX + 1];
	bool cfi_tried, debug_tried;
	Dwarf_CFI *cfi; /* .eh_frame */
	Dwarf *dwarf;
	Dwarf_CFI *debug_cfi; /* .debug_frame, belongs to dwarf */
};

static void read_build_id(struct elffile *elf)
{
	static const char digits[] = "0123456789abcdef";
	const void *id;
	ssize_t len = dwelf_elf_gnu_build_id(elf->elf, &id);
	char *to = elf->build_id;

	if (len <= 0 || len > BUILD_ID_MAX)
		return;
	for (ssize_t i = 0; i < len; i++) {
		unsigned char byte = ((const unsigned char *)id)[i];

		*to++ = digits[byte >> 4];
		*to++ = digits[byte & 15];
	}
}

static void read_segments(struct elffile *elf)
{
	size_t n;

	if (elf_getphdrnum(elf->elf, &n))
		return;
	for (size_t i = 0; i < n && i < INT32_MAX; i++) {
		GElf_Phdr phdr;

		if (!gelf_getphdr(elf->elf, (int)i, &phdr) || phdr.p_type != PT_LOAD)
			continue;
		if (phdr.p_filesz > UINT64_MAX - phdr.p_offset ||
			phdr.p_filesz > UINT64_MAX - phdr.p_vaddr)
			continue;
		elf->segments =
			xrealloc(elf->segments, elf->nr_segments + 1, sizeof(*elf->segments));
		elf->segments[elf->nr_segments++] = (struct segment){
			.offset = phdr.p_offset,
			.size = phdr.p_filesz,
			.address = phdr.p_vaddr,
			.code = phdr.p_flags & PF_X,
		};
	}
}

/*
 * Takes ownership of FD, IMAGE and HANDLE (which may be NULL). NULL unless HANDLE is a program or
 * library or, with ANY, an ELF file.
 */
static struct elffile *elffile_new(int fd, void *image, Elf *handle, bool any)
{
	struct elffile *elf = xcalloc(1, sizeof(*elf));
	GElf_Ehdr ehdr;

	elf->fd = fd;
	elf->image = image;
	elf->elf = handle;
	if (!handle || elf_kind(handle) != ELF_K_ELF || !gelf_getehdr(handle, &ehdr) ||
		(!any && ehdr.e_type != ET_EXEC && ehdr.e_type != ET_DYN)) {
		elffile_close(elf);
		return NULL;
	}
	read_segments(elf);
	read_build_id(elf);
	return elf;
}

static struct elffile *open_regular(int fd, const char *name, bool any, struct strbuf *err)
{
	struct elffile *elf;
	struct stat st;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		close(fd);
		fail(err, "%s is not a regular file", name);
		return NULL;
	}
	elf_version(EV_CURRENT);
	elf = elffile_new(fd, NULL, elf_begin(fd, ELF_C_READ_MMAP, NULL), any);
	if (!elf)
		fail(err, "%s is not an ELF program or library", name);
	return elf;
}

struct elffile *elffile_open(const char *path, struct strbuf *err)
{
	int fd = file_open(path);

	if (fd < 0) {
		if (errno == ENXIO)
			fail(err, "'%s' is not a regular file", path);
		else
			fail(err, "cannot open '%s': %s", path, strerror(errno));
		return NULL;
	}
	char *name = xasprintf("'%s'", path);
	struct elffile *elf = open_regular(fd, name, false, err);

	free(name);
	return elf;
}

struct elffile *elffile_open_any(int fd)
{
	return open_regular(fd, "it", true, NULL);
}

struct elffile *elffile_open_fd(int fd, struct strbuf *err)
{
	return open_regular(fd, "it", false, err);
}

struct elffile *elffile_open_memory(const void *image, size_t size)
{
	char *copy = xmalloc(size);

	memcpy(copy, image, size);
	elf_version(EV_CURRENT);
	return elffile_new(-1, copy, elf_memory(copy, size), false);
}

struct elffile *elffile_open_vdso(void)
{
	const char *image = (const char *)getauxval(AT_SYSINFO_EHDR);
	Elf64_Ehdr ehdr;

	if (!image)
		return NULL;
	memcpy(&ehdr, image, sizeof(ehdr));
	if (memcmp(ehdr.e_ident, ELFMAG, SELFMAG) || ehdr.e_ident[EI_CLASS] != ELFCLASS64)
		return NULL;
	/* the section headers are at its end */
	return elffile_open_memory(image, ehdr.e_shoff + (size_t)ehdr.e_shnum * ehdr.e_shentsize);
}

struct elffile *elffile_open_compressed(int fd)
{
	elf_version(EV_CURRENT);
	return elffile_new(fd, NULL, dwelf_elf_begin(fd), false);
}

struct elffile *elffile_open_relocated(int fd)
{
	struct stat st;
	struct relocated *relocated =
		!fstat(fd, &st) && S_ISREG(st.st_mode) ? relocated_open(fd) : NULL;
	struct elffile *elf;

	if (!relocated) {
		close(fd);
		return NULL;
	}
	elf = elffile_new(fd, NULL, relocated_elf(relocated), true); /* it has a header */
	elf->relocated = relocated;
	return elf;
}

void elffile_close(struct elffile *elf)
{
	if (!elf)
		return;
	if (elf->cfi)
		dwarf_cfi_end(elf->cfi);
	dwarf_end(elf->dwarf);
	if (elf->relocated)
		relocated_close(elf->relocated);
	else
		elf_end(elf->elf);
	if (elf->fd >= 0)
		close(elf->fd);
	free(elf->image);
	free(elf->segments);
	free(elf);
}

bool elffile_is_whole(const struct elffile *elf)
{
	size_t nr = 0, file_size;
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;

	if (!elf_rawfile(elf->elf, &file_size) || elf_getshdrnum(elf->elf, &nr) || !nr)
		return false;
	while ((scn = elf_nextscn(elf->elf, scn)))
		if (!gelf_getshdr(scn, &shdr) ||
			(shdr.sh_type != SHT_NOBITS &&
				(shdr.sh_offset > file_size ||
					shdr.sh_size > file_size - shdr.sh_offset)))
			return false;
	return true;
}

const char *elffile_build_id(const struct elffile *elf)
{
	return elf->build_id;
}

Elf *elffile_elf(const struct elffile *elf)
{
	return elf->elf;
}

int elffile_fd(const struct elffile *elf)
{
	return elf->fd;
}

/* The loaded segment with some of the SIZE bytes at OFFSET of the file, code preferred. */
static const struct segment *find_segment(const struct elffile *elf, uint64_t offset, uint64_t size)
{
	const struct segment *found = NULL;

	if (size > UINT64_MAX - offset)
		return NULL;
	for (size_t i = 0; i < elf->nr_segments; i++) {
		const struct segment *s = &elf->segments[i];

		if (s->offset >= offset + size || offset >= s->offset + s->size)
			continue;
		if (!found || (s->code && !found->code))
			found = s;
	}
	return found;
}

bool elffile_address(const struct elffile *elf, uint64_t file_offset, uint64_t *address)
{
	const struct segment *s = find_segment(elf, file_offset, 1);

	if (s)
		*address = s->address + (file_offset - s->offset);
	return s;
}

size_t elffile_code(const struct elffile *elf, struct elf_code *code, size_t max)
{
	size_t file_size, n = 0;
	const unsigned char *file = (const unsigned char *)elf_rawfile(elf->elf, &file_size);

	for (size_t i = 0; file && i < elf->nr_segments && n < max; i++) {
		const struct segment *s = &elf->segments[i];

		if (s->code && s->size && s->offset <= file_size &&
			s->size <= file_size - s->offset)
			code[n++] = (struct elf_code){s->address, s->size, file + s->offset};
	}
	return n;
}

bool elffile_build_id_address(const struct elffile *elf, uint64_t *address, uint64_t *first)
{
	const void *id;
	size_t size;
	const char *file = elf_rawfile(elf->elf, &size);
	ssize_t len = dwelf_elf_gnu_build_id(elf->elf, &id);

	if (!file || len < (ssize_t)sizeof(*first) || (const char *)id < file ||
		(const char *)id > file + size - sizeof(*first))
		return false;
	memcpy(first, id, sizeof(*first));
	return elffile_address(elf, (uint64_t)((const char *)id - file), address);
}

bool elffile_mapped(const struct elffile *elf, uint64_t offset, uint64_t size, uint64_t *address)
{
	const struct segment *s = find_segment(elf, offset, size);

	if (s)
		*address = s->address - (s->offset - offset);
	return s;
}

Elf_Scn *elffile_section(Elf *elf, const char *name, GElf_Shdr *shdr)
{
	Elf_Scn *scn = NULL;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return NULL;
	while ((scn = elf_nextscn(elf, scn))) {
		const char *s;

		if (!gelf_getshdr(scn, shdr))
			continue;
		s = elf_strptr(elf, names, shdr->sh_name);
		if (s && !strcmp(s, name))
			return scn;
	}
	return NULL;
}

bool elffile_symbol(const struct elffile *elf, const char *name, uint64_t *value)
{
	GElf_Shdr shdr;
	Elf_Scn *scn = elffile_section(elf->elf, ".symtab", &shdr);
	Elf_Data *data = scn && shdr.sh_type == SHT_SYMTAB ? elf_getdata(scn, NULL) : NULL;
	GElf_Sym sym;

	for (int i = 0; data && gelf_getsym(data, i, &sym); i++) {
		const char *s = elf_strptr(elf->elf, shdr.sh_link, sym.st_name);

		if (s && !strcmp(s, name) && sym.st_shndx != SHN_UNDEF) {
			*value = sym.st_value;
			return true;
		}
	}
	return false;
}

static enum elf_rules cfi_rules(Dwarf_CFI *cfi, uint64_t address)
{
	enum elf_rules rules = RULES_NONE;
	Dwarf_Frame *frame;
	Dwarf_Op mem[3], *ops;
	size_t nops;

	if (!cfi || dwarf_cfi_addrframe(cfi, address, &frame))
		return RULES_NONE;
	int column = dwarf_frame_info(frame, NULL, NULL, NULL);

	if (column >= 0 && !dwarf_frame_register(frame, column, mem, &ops, &nops))
		rules = !nops && ops == mem ? RULES_ROOT : RULES_SOME;
	free(frame);
	return rules;
}

enum elf_rules elffile_rules(struct elffile *elf, uint64_t file_offset)
{
	enum elf_rules rules;
	uint64_t address;
	GElf_Shdr shdr;

	if (!elffile_address(elf, file_offset, &address))
		return RULES_NONE;
	if (!elf->cfi_tried) {
		elf->cfi_tried = true;
		elf->cfi = dwarf_getcfi_elf(elf->elf);
	}
	rules = cfi_rules(elf->cfi, address);
	if (rules != RULES_NONE)
		return rules;
	if (!elf->debug_tried) {
		elf->debug_tried = true;
		if (elffile_section(elf->elf, ".debug_frame", &shdr))
			elf->dwarf = dwarf_begin_elf(elf->elf, DWARF_C_READ, NULL);
		if (elf->dwarf)
			elf->debug_cfi = dwarf_getcfi(elf->dwarf);
	}
	return cfi_rules(elf->debug_cfi, address);
}

static Elf_Scn *hidden_eh_frame(const struct elffile *elf)
{
	GElf_Ehdr ehdr;
	GElf_Shdr shdr;
	Elf_Scn *scn;

	if (!gelf_getehdr(elf->elf, &ehdr) || ehdr.e_machine != EM_X86_64)
		return NULL;
	scn = elffile_section(elf->elf, ".eh_frame", &shdr);
	return scn && shdr.sh_type == SHT_X86_64_UNWIND ? scn : NULL;
}

bool elffile_eh_frame_hidden(const struct elffile *elf)
{
	return hidden_eh_frame(elf);
}

static int write_all(int fd, const char *buf, size_t len, off_t at)
{
	while (len) {
		ssize_t n = pwrite(fd, buf, len, at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -1;
		buf += n;
		len -= (size_t)n;
		at += n;
	}
	return 0;
}

static int copy_bytes(int from, int to)
{
	char *buf = xmalloc(COPY_CHUNK);
	int ret = -1;
	off_t at = 0;

	for (;;) {
		ssize_t n = pread(from, buf, COPY_CHUNK, at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 || (n && write_all(to, buf, (size_t)n, at)))
			break;
		if (!n) {
			ret = 0;
			break;
		}
		at += n;
	}
	free(buf);
	return ret;
}

/* Changes the type of .eh_frame from X86_64_UNWIND to PROGBITS. */
static int patch_type(const struct elffile *elf, int fd)
{
	static const char progbits[4] = {SHT_PROGBITS, 0, 0, 0}; /* x86-64: little-endian */
	Elf_Scn *scn = hidden_eh_frame(elf);
	GElf_Ehdr ehdr;
	uint64_t at;

	if (!scn)
		return 0;
	if (!gelf_getehdr(elf->elf, &ehdr)) {
		errno = ENOEXEC;
		return -1;
	}
	at = (uint64_t)elf_ndxscn(scn) * ehdr.e_shentsize;
	at += elf_getident(elf->elf, NULL)[EI_CLASS] == ELFCLASS64 ? offsetof(Elf64_Shdr, sh_type)
								   : offsetof(Elf32_Shdr, sh_type);
	if (__builtin_add_overflow(at, ehdr.e_shoff, &at) || at > INT64_MAX - sizeof(progbits)) {
		errno = ENOEXEC;
		return -1;
	}
	return write_all(fd, progbits, sizeof(progbits), (off_t)at);
}

int elffile_copy_with_plain_eh_frame(const char *path, const char *copy, struct strbuf *err)
{
	struct elffile *elf = elffile_open(path, err);
	int fd, ret;

	if (!elf)
		return -1;
	fd = open(copy, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0) {
		fail(err, "cannot write '%s': %s", copy, strerror(errno));
		elffile_close(elf);
		return -1;
	}
	ret = copy_bytes(elf->fd, fd) || patch_type(elf, fd) ? -1 : 0;
	if (ret) {
		fail(err, "cannot copy '%s' to '%s': %s", path, copy, strerror(errno));
		close(fd);
	} else if (close(fd)) {
		ret = fail(err, "cannot write '%s': %s", copy, strerror(errno));
	}
	if (ret)
		unlink(copy);
	elffile_close(elf);
	return ret;
}
