/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "code_shapes.h"

#include <endian.h>
#include <string.h>

static uint64_t displaced(const unsigned char *at, uint64_t from)
{
	uint32_t displacement;

	memcpy(&displacement, at, sizeof(displacement));
	return from + (uint64_t)(int64_t)(int32_t)le32toh(displacement);
}

/* The opcode of mov has two encodings. Returns the bytes of the one before byte AT, or 0. */
static size_t mov_before(const unsigned char *code, size_t at)
{
	const unsigned char *p = code + at;

	if (at >= 3 && p[-3] == 0x48 && p[-2] == 0xc7 && p[-1] == 0xc0)
		return 3;
	return at >= 1 && p[-1] == 0xb8;
}

/* Returns whether there is a system call in the bytes at P or one byte further. Compilers vectorise
 * this. */
static bool has_syscall(const unsigned char *p, size_t n)
{
	unsigned char any = 0;

	for (size_t i = 0; i < n; i++)
		any |= (p[i] == 0x0f) & (p[i + 1] == 0x05);
	return any;
}

/* Like memmem(3) for a NEEDLE that ends with a system call. These are rare, so nearly all code is
 * skipped fast. */
static const unsigned char *find_syscall(const unsigned char *from, const unsigned char *end,
	const unsigned char *needle, size_t len)
{
	enum { STRIDE = 1024 };
	const unsigned char *found;

	while ((size_t)(end - from) > STRIDE + len) {
		if (has_syscall(from + len - 2, STRIDE) &&
			(found = memmem(from, STRIDE + len - 1, needle, len)))
			return found;
		from += STRIDE;
	}
	return memmem(from, (size_t)(end - from), needle, len);
}

size_t shape_sigreturn(const unsigned char *code, size_t size, size_t *at)
{
	static const unsigned char tail[] = {15, 0, 0, 0, 0x0f, 0x05};
	const unsigned char *found = code + *at, *end = code + size;

	while ((found = find_syscall(found, end, tail, sizeof(tail)))) {
		size_t head = mov_before(code, (size_t)(found - code));

		if (head) {
			*at = (size_t)(found - code) - head;
			return head + sizeof(tail);
		}
		found += sizeof(tail);
	}
	return 0;
}

bool shape_is_start(const unsigned char *code, size_t size)
{
	static const unsigned char start[] = {0x48, 0x89, 0xe7, 0xe8};

	return size >= SHAPE_START && !memcmp(code, start, sizeof(start));
}

bool shape_stub_slot(const unsigned char *code, size_t size, uint64_t address, uint64_t *slot)
{
	static const unsigned char endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};
	size_t at = 0;

	if (size >= sizeof(endbr64) && !memcmp(code, endbr64, sizeof(endbr64)))
		at = sizeof(endbr64);
	if (at < size && code[at] == 0xf2)
		at++;
	if (size - at < 6 || code[at] != 0xff || code[at + 1] != 0x25)
		return false;
	*slot = displaced(code + at + 2, address + at + 6);
	return true;
}

uint64_t shape_argument(const unsigned char *code, size_t size, uint64_t address)
{
	uint64_t found = 0;

	for (size_t i = 0; i + 7 <= size; i++) {
		if (code[i] == 0x48 && code[i + 1] == 0x8d && code[i + 2] == 0x3d)
			found = displaced(code + i + 3, address + i + 7);
		else if (code[i] == 0x48 && code[i + 1] == 0xc7 && code[i + 2] == 0xc7)
			found = displaced(code + i + 3, 0);
		else if (found && (code[i] == 0xe8 || code[i] == 0xe9 ||
					  (code[i] == 0xff && code[i + 1] == 0x15)))
			return found;
	}
	return 0;
}

uint64_t shape_aligned_call(const unsigned char *code, size_t size, uint64_t address)
{
	static const unsigned char call[] = {0x48, 0x83, 0xe4, 0xf0, 0xe8};

	for (size_t i = 0; i + sizeof(call) + 4 <= size; i++)
		if (!memcmp(code + i, call, sizeof(call)))
			return displaced(code + i + sizeof(call), address + i + sizeof(call) + 4);
	return 0;
}

bool shape_target(const unsigned char *code, size_t size, uint64_t address, uint64_t *target)
{
	if (size < SHAPE_TARGET_SIZE || (code[0] != 0xe8 && code[0] != 0xe9))
		return false;
	*target = displaced(code + 1, address + SHAPE_TARGET_SIZE);
	return true;
}

bool shape_jump(const unsigned char *code, size_t size, uint64_t address, uint64_t *target)
{
	size_t opcode = size && code[0] == 0x0f ? 2 : 1; /* jcc rel32, jmp rel32 */

	if (size < opcode + 4 || (opcode == 2 ? (code[1] & 0xf0) != 0x80 : code[0] != 0xe9))
		return false;
	*target = displaced(code + opcode, address + opcode + 4);
	return true;
}

bool shape_taken(const unsigned char *code, size_t size, uint64_t address, uint64_t *target)
{
	if (size < 7 || (code[0] & 0xfb) != 0x48 || code[1] != 0x8d || (code[2] & 0xc7) != 5)
		return false;
	*target = displaced(code + 3, address + 7);
	return true;
}

bool shape_loaded(const unsigned char *code, size_t size, uint64_t address, uint64_t *variable)
{
	for (size_t i = 0; i + 6 <= size; i++) {
		if (code[i] == 0x8b && code[i + 1] == 0x3d) {
			*variable = displaced(code + i + 2, address + i + 6);
			return true;
		}
	}
	return false;
}

bool shape_key_table(const unsigned char *code, uint64_t *offset)
{
	static const unsigned char head[] = {
		0x64, 0x48, 0x8b, 4, 0x25, 0, 0, 0, 0, 0x48, 0x8b, 0x80};
	static const unsigned char tail[] = {0x89, 0xff, 0x48, 0x8b, 4, 0xf8, 0xc3};
	uint32_t at;

	memcpy(&at, code + sizeof(head), sizeof(at));
	*offset = at;
	return !memcmp(code, head, sizeof(head)) &&
	       !memcmp(code + sizeof(head) + sizeof(at), tail, sizeof(tail));
}
