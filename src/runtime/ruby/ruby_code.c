/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ruby_code.h"
#include "arch/x86_64/code_shapes.h"

#include <endian.h>
#include <string.h>

static uint32_t number_at(const unsigned char *at)
{
	uint32_t number;

	memcpy(&number, at, sizeof(number));
	return le32toh(number);
}

/* Returns the address that the displacement at CODE + AT, the end of an instruction, leads to. */
static uint64_t displaced(const unsigned char *code, size_t at, uint64_t address)
{
	return address + at + 4 + (uint64_t)(int64_t)(int32_t)number_at(code + at);
}

bool ruby_code_thread_slot(
	const unsigned char *code, uint64_t address, uint64_t *slot, uint64_t *offset)
{
	*slot = shape_argument(code, RUBY_CODE_SIZE, address);
	for (size_t i = 0; *slot && i + 12 <= RUBY_CODE_SIZE; i++) {
		const unsigned char *p = code + i + 5; /* after the call */

		if (code[i] != 0xe8 || p[0] != 0x48 || p[1] != 0x8b)
			continue;
		if (p[2] == 0x00)
			*offset = 0;
		else if (p[2] == 0x40)
			*offset = (uint64_t)(int64_t)(int8_t)p[3];
		else if (p[2] == 0x80)
			*offset = (uint64_t)(int64_t)(int32_t)number_at(p + 3);
		else
			continue;
		return true;
	}
	return false;
}

bool ruby_code_number(const unsigned char *code, uint64_t address, uint64_t *variable)
{
	for (size_t i = 0; i + 6 <= RUBY_CODE_SIZE; i++)
		if (code[i] == 0x8b && (code[i + 1] == 0x05 || code[i + 1] == 0x3d)) {
			*variable = displaced(code, i + 2, address);
			return true;
		}
	return false;
}

bool ruby_code_gc(const unsigned char *code, uint64_t address, struct ruby_code_gc *gc)
{
	static const unsigned char load[] = {0x48, 0x8b, 0x80}, byte[] = {0x0f, 0xb6, 0x40},
				   shift[] = {0xc0, 0xe8}, one[] = {0x83, 0xe0, 0x01};
	bool has_vm = false;

	for (size_t i = 0; i + 17 <= RUBY_CODE_SIZE; i++) {
		const unsigned char *p = code + i;

		if (!has_vm && p[0] == 0x48 && (p[1] == 0x8b || p[1] == 0x8d) && p[2] == 0x05) {
			gc->vm = displaced(code, i + 3, address);
			gc->indirect = p[1] == 0x8b;
			has_vm = true;
		}
		if (!has_vm || memcmp(p, load, 3) || memcmp(p + 7, byte, 3) ||
			memcmp(p + 11, shift, 2) || p[13] > 7 || memcmp(p + 14, one, 3))
			continue;
		gc->objspace = number_at(p + 3);
		gc->flags = p[10];
		gc->mask = 1U << p[13];
		return true;
	}
	return false;
}
