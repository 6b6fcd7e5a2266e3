/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "elffile_internal.h"
#include "arch/x86_64/elf_names.h"
#include "inflated.h"
#include "elfhead.h"
#include "lib/strbuf.h"
#include "lib/untrusted/file.h"
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

enum {
	COPY_CHUNK = 1 << 18,
	SECTIONS_MAX = 1 << 17, /* libelf takes memory for each section that a file claims */
};
static const int64_t copy_max = 1LL << 32; /* largest copy, as a file may be a hole of any size */

struct elffile {
	int fd; /* or -1 if the file is in memory */
	uid_t owner;
	char *image; /* copy of a file in memory */
	size_t image_size;
	struct elfhead head;
	char build_id[2 * BUILD_ID_MAX + 1];
	struct contents {               /* opened by libelf and libdw on demand */
		struct elffacts *facts; /* or NULL if no facts are known */
		bool elf_tried, cfi_tried, debug_tried;
		struct relocated *relocated; /* owner of elf, or NULL if this struct owns it */
		Elf *elf;
		Dwarf_CFI *cfi; /* .eh_frame */
		Dwarf *dwarf;
		Dwarf_CFI *debug_cfi; /* .debug_frame, belongs to dwarf */
	} * contents;
};

/* The process that uses only heads of files. Its children may use whole files. */
static pid_t heads_only;

void elffile_use_heads_only(void)
{
	heads_only = getpid();
}

static Elf *open_contents(const struct elffile *elf)
{
	Elf *opened;

	if (elf->head.nr_sections > SECTIONS_MAX)
		return NULL;
	elf_version(EV_CURRENT);
	if (elf->fd < 0)
		return elf_memory(elf->image, elf->image_size);
	if (heads_only == getpid()) {
		fputs("internal error: the recorder uses the contents of an ELF file\n", stderr);
		return NULL;
	}
	opened = elf_begin(elf->fd, ELF_C_READ_MMAP, NULL);
	if (opened && elf_kind(opened) != ELF_K_ELF) { /* the file has changed */
		elf_end(opened);
		opened = NULL;
	}
	return opened;
}

Elf *elffile_elf(const struct elffile *elf)
{
	struct contents *c = elf->contents;

	if (!c->elf_tried) {
		c->elf_tried = true;
		c->elf = open_contents(elf);
	}
	return c->elf;
}

static size_t read_fd(const void *context, uint64_t offset, void *to, size_t len)
{
	const int *fd = context;
	size_t done = 0;

	while (done < len && offset + done <= INT64_MAX) {
		ssize_t n = pread(*fd, (char *)to + done, len - done, (off_t)(offset + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		done += (size_t)n;
	}
	return done;
}

struct elf_bytes {
	const char *start;
	size_t size;
};

static size_t read_bytes(const void *context, uint64_t offset, void *to, size_t len)
{
	const struct elf_bytes *bytes = context;

	if (offset >= bytes->size)
		return 0;
	if (len > bytes->size - offset)
		len = bytes->size - offset;
	memcpy(to, bytes->start + offset, len);
	return len;
}

static void format_build_id(struct elffile *elf)
{
	static const char digits[] = "0123456789abcdef";
	char *to = elf->build_id;

	for (size_t i = 0; i < elf->head.id_len; i++) {
		*to++ = digits[elf->head.id[i] >> 4];
		*to++ = digits[elf->head.id[i] & 15];
	}
}

/*
 * Reads the head. Closes ELF and returns NULL unless it is a program or library or, with ANY, an
 * ELF file.
 */
static struct elffile *read_head(struct elffile *elf, const struct elf_reader *reader, bool any)
{
	if (!elfhead_read(&elf->head, reader) ||
		(!any && elf->head.type != ET_EXEC && elf->head.type != ET_DYN)) {
		elffile_close(elf);
		return NULL;
	}
	format_build_id(elf);
	return elf;
}

/* Takes ownership of FD. */
static struct elffile *elffile_new(int fd)
{
	struct elffile *elf = xcalloc(1, sizeof(*elf));

	elf->fd = fd;
	elf->contents = xcalloc(1, sizeof(*elf->contents));
	return elf;
}

/*
 * Takes ownership of FD and of HANDLE (may be NULL), which has the unpacked or relocated contents
 * of FD.
 */
static struct elffile *elffile_of_handle(int fd, Elf *handle, struct relocated *relocated, bool any)
{
	struct elffile *elf = elffile_new(fd);
	struct elf_bytes bytes = {0};

	elf->contents->elf_tried = true;
	elf->contents->elf = handle;
	elf->contents->relocated = relocated;
	if (handle)
		bytes.start = elf_rawfile(handle, &bytes.size);
	if (!bytes.start)
		bytes.size = 0;
	return read_head(elf, &(struct elf_reader){read_bytes, &bytes}, any);
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
	elf = read_head(elffile_new(fd), &(struct elf_reader){read_fd, &fd}, any);
	if (elf)
		elf->owner = st.st_uid;
	else
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
	struct elffile *elf = elffile_new(-1);

	elf->image = xmalloc(size ? size : 1);
	elf->image_size = size;
	memcpy(elf->image, image, size);
	return read_head(elf,
		&(struct elf_reader){read_bytes, &(struct elf_bytes){elf->image, size}}, false);
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
	return elffile_of_handle(fd, dwelf_elf_begin(fd), NULL, false);
}

struct elffile *elffile_open_relocated(int fd)
{
	struct stat st;
	struct relocated *relocated =
		!fstat(fd, &st) && S_ISREG(st.st_mode) ? relocated_open(fd) : NULL;

	if (relocated)
		return elffile_of_handle(fd, relocated_elf(relocated), relocated, true);
	close(fd);
	return NULL;
}

struct elffacts **elffile_facts(const struct elffile *elf)
{
	return &elf->contents->facts;
}

static void close_contents(struct contents *c)
{
	elffacts_free(c->facts);
	if (c->cfi)
		dwarf_cfi_end(c->cfi);
	dwarf_end(c->dwarf);
	if (c->relocated)
		relocated_close(c->relocated);
	else
		elf_end(c->elf);
	free(c);
}

void elffile_close(struct elffile *elf)
{
	if (!elf)
		return;
	close_contents(elf->contents);
	if (elf->fd >= 0)
		close(elf->fd);
	elfhead_release(&elf->head);
	free(elf->image);
	free(elf);
}

void elffile_shut(struct elffile *elf)
{
	if (elf->fd < 0)
		return;
	close_contents(elf->contents);
	elf->contents = xcalloc(1, sizeof(*elf->contents));
	elf->contents->elf_tried = true;
	close(elf->fd);
	elf->fd = -1;
}

bool elffile_is_shut(const struct elffile *elf)
{
	return elf->fd < 0 && !elf->image;
}

bool elffile_is_whole(const struct elffile *elf)
{
	size_t nr = 0, file_size;
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;

	if (!elf_rawfile(elffile_elf(elf), &file_size) || elf_getshdrnum(elffile_elf(elf), &nr) ||
		!nr)
		return false;
	while ((scn = elf_nextscn(elffile_elf(elf), scn)))
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

uid_t elffile_owner(const struct elffile *elf)
{
	return elf->owner;
}

int elffile_fd(const struct elffile *elf)
{
	return elf->fd;
}

/*
 * Returns the loaded segment with some of the SIZE bytes at OFFSET of the file. An executable one
 * is preferred if CODE is true, else one that is not.
 */
static const struct elf_segment *find_segment(
	const struct elffile *elf, uint64_t offset, uint64_t size, bool code)
{
	const struct elf_segment *found = NULL;

	if (size > UINT64_MAX - offset)
		return NULL;
	for (size_t i = 0; i < elf->head.nr_segments; i++) {
		const struct elf_segment *s = &elf->head.segments[i];

		if (s->offset >= offset + size || offset >= s->offset + s->size)
			continue;
		if (!found || (s->code == code && found->code != code))
			found = s;
	}
	return found;
}

bool elffile_address(const struct elffile *elf, uint64_t file_offset, uint64_t *address)
{
	const struct elf_segment *s = find_segment(elf, file_offset, 1, true);

	if (s)
		*address = s->address + (file_offset - s->offset);
	return s;
}

size_t elffile_code(const struct elffile *elf, struct elf_code *code, size_t max)
{
	size_t file_size, n = 0;
	const unsigned char *file =
		(const unsigned char *)elf_rawfile(elffile_elf(elf), &file_size);

	for (size_t i = 0; file && i < elf->head.nr_segments && n < max; i++) {
		const struct elf_segment *s = &elf->head.segments[i];

		if (s->code && s->size && s->offset <= file_size &&
			s->size <= file_size - s->offset)
			code[n++] = (struct elf_code){s->address, s->size, file + s->offset};
	}
	return n;
}

const unsigned char *elffile_code_bytes(const struct elffile *elf, uint64_t address, uint64_t size)
{
	enum { SEGMENTS_MAX = 8 };
	struct elf_code code[SEGMENTS_MAX];
	size_t nr = elffile_code(elf, code, ARRAY_LEN(code));

	for (size_t i = 0; i < nr; i++) {
		uint64_t at = address - code[i].address;

		if (at < code[i].size && size <= code[i].size - at)
			return code[i].bytes + at;
	}
	return NULL;
}

bool elffile_build_id_address(const struct elffile *elf, uint64_t *address, uint64_t *first)
{
	if (elf->head.id_len < sizeof(*first))
		return false;
	memcpy(first, elf->head.id, sizeof(*first));
	return elffile_address(elf, elf->head.id_offset, address);
}

static bool mapped(
	const struct elffile *elf, uint64_t offset, uint64_t size, bool code, uint64_t *address)
{
	const struct elf_segment *s = find_segment(elf, offset, size, code);

	if (s)
		*address = s->address - (s->offset - offset);
	return s;
}

bool elffile_mapped(const struct elffile *elf, uint64_t offset, uint64_t size, uint64_t *address)
{
	return mapped(elf, offset, size, true, address);
}

bool elffile_mapped_data(
	const struct elffile *elf, uint64_t offset, uint64_t size, uint64_t *address)
{
	return mapped(elf, offset, size, false, address);
}

bool elffile_code_at(const struct elffile *elf, uint64_t address, uint64_t size, uint64_t *offset)
{
	const uint64_t in_page = 4095;

	for (size_t i = 0; i < elf->head.nr_segments; i++) {
		const struct elf_segment *s = &elf->head.segments[i];
		uint64_t start = s->address & ~in_page, end = s->address + s->size + in_page;

		if (!s->code || address < start || end < s->address ||
			(end & ~in_page) - start < address - start + size)
			continue;
		*offset = s->offset - (s->address - address);
		return *offset <= s->offset + s->size;
	}
	return false;
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
	Elf *handle = elffile_elf(elf);
	GElf_Shdr shdr;
	Elf_Scn *scn = elffile_section(handle, ".symtab", &shdr);
	Elf_Data *data = scn && shdr.sh_type == SHT_SYMTAB ? elf_getdata(scn, NULL) : NULL;
	GElf_Sym sym;

	for (int i = 0; data && gelf_getsym(data, i, &sym); i++) {
		const char *s = elf_strptr(handle, shdr.sh_link, sym.st_name);

		if (s && !strcmp(s, name) && sym.st_shndx != SHN_UNDEF) {
			*value = sym.st_value;
			return true;
		}
	}
	return false;
}

Dwarf_CFI *elffile_cfi(const struct elffile *elf)
{
	struct contents *c = elf->contents;

	if (!c->cfi_tried) {
		c->cfi_tried = true;
		c->cfi = dwarf_getcfi_elf(elffile_elf(elf));
	}
	return c->cfi;
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

enum elf_rules elffile_rules(const struct elffile *elf, uint64_t file_offset)
{
	struct contents *c = elf->contents;
	Elf *handle = elffile_elf(elf);
	enum elf_rules rules;
	uint64_t address;
	GElf_Shdr shdr;

	if (!elffile_address(elf, file_offset, &address))
		return RULES_NONE;
	rules = cfi_rules(elffile_cfi(elf), address);
	if (rules != RULES_NONE)
		return rules;
	if (!c->debug_tried) {
		c->debug_tried = true;
		if (elffile_section(handle, ".debug_frame", &shdr))
			c->dwarf = inflated_dwarf(handle);
		if (c->dwarf)
			c->debug_cfi = dwarf_getcfi(c->dwarf);
	}
	return cfi_rules(c->debug_cfi, address);
}

uint64_t elffile_hidden_eh_frame(const struct elffile *elf)
{
	Elf *handle = elffile_elf(elf);
	GElf_Ehdr ehdr;
	GElf_Shdr shdr;
	Elf_Scn *scn;
	uint64_t at;

	if (!gelf_getehdr(handle, &ehdr) || ehdr.e_machine != MACHINE)
		return 0;
	scn = elffile_section(handle, ".eh_frame", &shdr);
	if (!scn || shdr.sh_type != SECTION_UNWIND)
		return 0;
	at = (uint64_t)elf_ndxscn(scn) * ehdr.e_shentsize;
	at += elf_getident(handle, NULL)[EI_CLASS] == ELFCLASS64 ? offsetof(Elf64_Shdr, sh_type)
								 : offsetof(Elf32_Shdr, sh_type);
	return __builtin_add_overflow(at, ehdr.e_shoff, &at) ? 0 : at;
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

/* Copies all bytes. Returns how many there are, or -1 and sets errno on failure. */
static int64_t copy_bytes(int from, int to)
{
	char *buf = xmalloc(COPY_CHUNK);
	int64_t at = 0;

	for (;;) {
		ssize_t n = pread(from, buf, COPY_CHUNK, at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0 || write_all(to, buf, (size_t)n, at)) {
			at = n ? -1 : at;
			break;
		}
		at += n;
		if (at > copy_max) { /* the file has grown */
			errno = EFBIG;
			at = -1;
			break;
		}
	}
	free(buf);
	return at;
}

/* Changes the section type at OFFSET of FD, which has SIZE bytes, to PROGBITS. */
static int patch_type(int fd, int64_t size, uint64_t offset)
{
	static const char progbits[4] = {SHT_PROGBITS, 0, 0, 0}; /* little-endian */

	if (size < (int64_t)sizeof(progbits) || offset > (uint64_t)size - sizeof(progbits)) {
		errno = ENOEXEC;
		return -1;
	}
	return write_all(fd, progbits, sizeof(progbits), (off_t)offset);
}

int elffile_copy(
	const struct elffile *elf, const char *copy, uint64_t type_offset, struct strbuf *err)
{
	struct stat st;
	int64_t size;
	int fd = open(copy, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600), ret = 0;

	if (fd < 0)
		return fail(err, "cannot write '%s': %s", copy, strerror(errno));
	errno = EFBIG;
	size = fstat(elf->fd, &st) || st.st_size > copy_max ? -1 : copy_bytes(elf->fd, fd);
	if (size < 0 || (type_offset && patch_type(fd, size, type_offset))) {
		ret = fail(err, "cannot copy it to '%s': %s", copy, strerror(errno));
		close(fd);
	} else if (close(fd)) {
		ret = fail(err, "cannot write '%s': %s", copy, strerror(errno));
	}
	if (ret)
		unlink(copy);
	return ret;
}
