/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "nginx_functions.h"
#include "lib/util.h"
#include "symbol/elf/elffile.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

enum {
	FUNCTIONS_MAX = 1 << 17, /* of a file */
	CODE_MAX = 1 << 15,      /* bytes of a function that are searched */
	HEADS_MAX = 32,
	/* An .eh_frame_hdr with a search table of signed 4-byte pointers relative to it. */
	HEAD_BYTES = 12,
	HEAD_VERSION = 1,
	HEAD_COUNT_ENCODING = 0x03,
	HEAD_TABLE_ENCODING = 0x3b,
};

/* The program headers of a file as they are mapped in the process. */
struct heads {
	Elf64_Phdr list[HEADS_MAX];
	size_t nr;
};

static bool read_heads(const struct memory *m, const struct target_file *file, struct heads *heads)
{
	Elf64_Ehdr head;
	uint64_t at;

	if (!elffile_mapped(file->elf, 0, sizeof(head), &at) ||
		!memory_read(m, at + file->bias, &head, sizeof(head)) ||
		memcmp(head.e_ident, ELFMAG, SELFMAG) || head.e_phentsize != sizeof(Elf64_Phdr) ||
		head.e_phnum > HEADS_MAX ||
		!memory_read(m, at + file->bias + head.e_phoff, heads->list,
			head.e_phnum * sizeof(Elf64_Phdr)))
		return false;
	heads->nr = head.e_phnum;
	return true;
}

/* Sets RANGE to the first segment of TYPE with FLAGS, if there is one. */
static void find_segment(const struct heads *heads, uint32_t type, uint32_t flags, uint64_t bias,
	struct function_range *range)
{
	for (size_t i = 0; i < heads->nr; i++) {
		const Elf64_Phdr *p = &heads->list[i];

		if (p->p_type != type || (p->p_flags & flags) != flags)
			continue;
		*range = (struct function_range){p->p_vaddr + bias, p->p_vaddr + bias + p->p_memsz};
		return;
	}
}

/* Reads the table of functions in the .eh_frame_hdr at HDR. */
static void read_starts(
	const struct memory *m, const struct function_range *hdr, struct function_file *file)
{
	unsigned char head[HEAD_BYTES];
	int32_t(*table)[2];
	uint32_t nr;

	if (!memory_read(m, hdr->start, head, sizeof(head)) || head[0] != HEAD_VERSION ||
		head[2] != HEAD_COUNT_ENCODING || head[3] != HEAD_TABLE_ENCODING)
		return;
	memcpy(&nr, head + 8, sizeof(nr));
	if (!nr || nr > FUNCTIONS_MAX || nr * sizeof(*table) > hdr->end - hdr->start)
		return;
	table = xcalloc(nr, sizeof(*table));
	file->starts = xcalloc(nr, sizeof(*file->starts));
	if (memory_read(m, hdr->start + HEAD_BYTES, table, nr * sizeof(*table)))
		for (; file->nr < nr; file->nr++) {
			file->starts[file->nr] = hdr->start + (uint64_t)(int64_t)table[file->nr][0];
			if (file->nr && file->starts[file->nr] < file->starts[file->nr - 1])
				break; /* the linker sorts them, so the rest is no table */
		}
	free(table);
}

void nginx_functions_init(struct nginx_functions *f, const struct target *t)
{
	*f = (struct nginx_functions){
		.target = t, .files = xcalloc(t->nr_files + 1, sizeof(*f->files))};
	for (size_t i = 0; i < t->nr_files; i++) {
		struct function_file *file = &f->files[i];
		struct function_range hdr = {0};
		struct heads heads;

		file->file = &t->files[i];
		if (!read_heads(&t->memory, file->file, &heads))
			continue;
		find_segment(&heads, PT_LOAD, PF_X, file->file->bias, &file->code);
		find_segment(&heads, PT_LOAD, PF_W, file->file->bias, &file->data);
		find_segment(&heads, PT_GNU_RELRO, 0, file->file->bias, &file->constant);
		find_segment(&heads, PT_GNU_EH_FRAME, 0, file->file->bias, &hdr);
		if (hdr.end)
			read_starts(&t->memory, &hdr, file);
	}
}

void nginx_functions_release(struct nginx_functions *f)
{
	for (size_t i = 0; f->files && i < f->target->nr_files; i++)
		free(f->files[i].starts);
	free(f->files);
	*f = (struct nginx_functions){0};
}

static bool is_in(const struct function_range *range, uint64_t address)
{
	return address >= range->start && address < range->end;
}

const struct function_file *nginx_functions_file(const struct nginx_functions *f, uint64_t address)
{
	for (size_t i = 0; i < f->target->nr_files; i++)
		if (is_in(&f->files[i].code, address))
			return &f->files[i];
	return NULL;
}

/* Returns the number of functions of FILE that begin at or before ADDRESS. */
static size_t nr_up_to(const struct function_file *file, uint64_t address)
{
	size_t low = 0, high = file->nr;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (file->starts[middle] <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool nginx_functions_is(const struct nginx_functions *f, uint64_t address)
{
	const struct function_file *file = nginx_functions_file(f, address);
	size_t nr = file ? nr_up_to(file, address) : 0;

	return nr && file->starts[nr - 1] == address;
}

static bool has_variable(const struct function_file *file, uint64_t address)
{
	return is_in(&file->data, address) && !is_in(&file->constant, address);
}

bool nginx_functions_is_variable(
	const struct nginx_functions *f, const struct function_file *file, uint64_t address)
{
	if (address & 7)
		return false;
	if (file)
		return has_variable(file, address);
	for (size_t i = 0; i < f->target->nr_files; i++)
		if (has_variable(&f->files[i], address))
			return true;
	return false;
}

/* ---- code ---- */

/*
 * Returns the address that an instruction of LEN bytes refers to: its last four bytes are the
 * displacement from its end.
 */
static uint64_t operand(const unsigned char *code, size_t len, uint64_t address)
{
	int32_t by;

	memcpy(&by, code + len - sizeof(by), sizeof(by));
	return address + len + (uint64_t)(int64_t)by;
}

static bool is_wide(unsigned char prefix)
{
	return (prefix & 0xf8) == 0x48; /* REX.W */
}

static bool is_relative(unsigned char modrm)
{
	return (modrm & 0xc7) == 0x05; /* to rip */
}

/* Decodes the instruction in the 7 bytes at CODE; returns false if it refers to no address. */
static bool decode(const unsigned char *code, uint64_t address, struct code_reference *r)
{
	if (is_wide(code[0]) && (code[1] == 0x8b || code[1] == 0x8d) && is_relative(code[2]))
		*r = (struct code_reference){
			code[1] == 0x8b ? CODE_LOADS : CODE_TAKES, operand(code, 7, address)};
	else if (code[0] == 0xff && (code[1] == 0x15 || code[1] == 0x25)) /* call, jmp */
		*r = (struct code_reference){CODE_LOADS, operand(code, 6, address)};
	else if (code[0] == 0xe8 || code[0] == 0xe9)
		*r = (struct code_reference){CODE_GOES, operand(code, 5, address)};
	else if (code[0] == 0x0f && (code[1] & 0xf0) == 0x80) /* jcc */
		*r = (struct code_reference){CODE_GOES, operand(code, 6, address)};
	else
		return false;
	return true;
}

/* Returns the bytes from the start of FUNCTION to the start of the next one. */
static size_t size_of(const struct function_file *file, uint64_t function)
{
	size_t nr = nr_up_to(file, function);
	uint64_t end = nr < file->nr ? file->starts[nr] : file->code.end;

	if (end > file->code.end)
		end = file->code.end;
	return end - function < CODE_MAX ? (size_t)(end - function) : CODE_MAX;
}

struct code_reference *nginx_functions_references(
	const struct nginx_functions *f, uint64_t function, size_t *nr)
{
	enum { SHORTEST = 5, LONGEST = 7 };
	const struct function_file *file = nginx_functions_file(f, function);
	size_t size = file ? size_of(file, function) : 0, alloc = 0;
	unsigned char *code = xcalloc(size + LONGEST, 1);
	struct code_reference *list = NULL, r;

	*nr = 0;
	if (!memory_read(&f->target->memory, function, code, size))
		size = 0;
	for (size_t i = 0; i + SHORTEST <= size; i++) {
		if (!decode(code + i, function + i, &r))
			continue;
		ALLOC_GROW(list, *nr, alloc);
		list[(*nr)++] = r;
	}
	free(code);
	return list;
}

uint64_t nginx_functions_behind_plt(const struct nginx_functions *f, uint64_t address)
{
	static const unsigned char endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa}, jmp[] = {0xff, 0x25};
	unsigned char code[sizeof(endbr64) + 7];
	size_t at = 0;
	uint64_t to;

	if (!memory_read(&f->target->memory, address, code, sizeof(code)))
		return address;
	if (!memcmp(code, endbr64, sizeof(endbr64)))
		at = sizeof(endbr64);
	at += code[at] == 0xf2; /* bnd */
	if (memcmp(code + at, jmp, sizeof(jmp)) ||
		!memory_pointer(&f->target->memory, operand(code + at, 6, address + at), &to))
		return address;
	return to;
}
