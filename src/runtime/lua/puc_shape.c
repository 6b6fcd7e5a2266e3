/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "puc_shape.h"
#include "lib/util.h"

#include <stddef.h>

#define BIT(op) (1ULL << (op))
#define BITS(first, last) ((~0ULL >> (63 - (last) + (first))) << (first))

static const struct puc_shape lua51 = {
	.minor = 1,
	.status = 10,
	.global = 0x20,
	.ci = 0x28,
	.base_ci = 0x50,
	.levels = 0x60,
	.levels_size = 2,
	.mainthread = 0xb0,
	.func = 8,
	.ci_size = 0x28,
	.savedpc = 0x18,
	.state_pc = 0x30,
	.callstatus = 0x24,
	.not_called = 0xffff,
	.proto = 0x20,
	.c_function = 0x20,
	.code = 0x18,
	.constants = 0x10,
	.lineinfo = 0x28,
	.locvars = 0x30,
	.upvalues = 0x38,
	.source = 0x40,
	.linedefined = 0x60,
	.sizecode = 0x50,
	.sizelocvars = 0x5c,
	.upvalue_size = 8,
	.op = {.move = 0,
		.loadk = 1,
		.loadnil = 3,
		.getupval = 4,
		.getglobal = 5,
		.gettable = 6,
		.gettabup = 0xff,
		.getfield = 0xff,
		.self = 11,
		.jmp = 22,
		.call = 28,
		.tailcall = 29,
		.forloop = 31,
		.forprep = 32,
		.tforcall = 33,
		.sets = {BITS(0, 6) | BITS(10, 21) | BITS(26, 29) | BITS(31, 32) | BITS(36, 37)}},
};

static const struct puc_shape lua52 = {
	.minor = 2,
	.status = 10,
	.global = 0x18,
	.ci = 0x20,
	.base_ci = 0x80,
	.levels = 0x46,
	.levels_size = 2,
	.mainthread = 0x108,
	.func = 0,
	.previous = 0x10,
	.savedpc = 0x38,
	.saves_pc = true,
	.callstatus = 0x22,
	.not_called = 1 << 1 | 1 << 6, /* hook, tail call */
	.proto = 0x18,
	.c_function = 0x18,
	.code = 0x18,
	.constants = 0x10,
	.lineinfo = 0x28,
	.locvars = 0x30,
	.upvalues = 0x38,
	.source = 0x48,
	.linedefined = 0x68,
	.sizecode = 0x58,
	.sizelocvars = 0x64,
	.upvalue_size = 16,
	.op = {.move = 0,
		.loadk = 1,
		.loadnil = 4,
		.getupval = 5,
		.getglobal = 0xff,
		.gettabup = 6,
		.gettable = 7,
		.getfield = 0xff,
		.self = 12,
		.jmp = 23,
		.call = 29,
		.tailcall = 30,
		.forloop = 0xff,
		.forprep = 0xff,
		.tforcall = 34,
		.sets = {BITS(0, 7) | BITS(11, 22) | BITS(27, 30) | BITS(32, 33) | BIT(35) |
			 BITS(37, 38)}},
};

static const struct puc_shape lua53 = {
	.minor = 3,
	.status = 12,
	.global = 0x18,
	.ci = 0x20,
	.base_ci = 0x60,
	.levels = 0xc6,
	.levels_size = 2,
	.mainthread = 0xc8,
	.func = 0,
	.previous = 0x10,
	.savedpc = 0x28,
	.saves_pc = true,
	.callstatus = 0x42,
	.not_called = 1 << 2 | 1 << 5 | 1 << 8, /* hook, tail call, finalizer */
	.fresh = 1 << 3,
	.proto = 0x18,
	.c_function = 0x18,
	.code = 0x38,
	.constants = 0x30,
	.lineinfo = 0x48,
	.locvars = 0x50,
	.upvalues = 0x58,
	.source = 0x68,
	.linedefined = 0x28,
	.sizecode = 0x18,
	.sizelocvars = 0x24,
	.upvalue_size = 16,
	.op = {.move = 0,
		.loadk = 1,
		.loadnil = 4,
		.getupval = 5,
		.getglobal = 0xff,
		.gettabup = 6,
		.gettable = 7,
		.getfield = 0xff,
		.self = 12,
		.jmp = 30,
		.call = 36,
		.tailcall = 37,
		.forloop = 0xff,
		.forprep = 0xff,
		.tforcall = 41,
		.sets = {BITS(0, 7) | BITS(11, 29) | BITS(35, 37) | BITS(39, 40) | BIT(42) |
			 BITS(44, 45)}},
};

/*
 * What 5.4 and 5.5 share. The upper two bytes of levels count the calls that cannot yield. In 5.5
 * the flags of a call have four bytes, of which these are the upper ones.
 */
#define SINCE_5_4                                                                                  \
	.global = 0x18, .ci = 0x20, .base_ci = 0x60, .levels = 0xb0, .levels_size = 2, .func = 0,  \
	.previous = 0x10, .savedpc = 0x20, .callstatus = 0x3e, .proto = 0x18, .c_function = 0x18,  \
	.code = 0x40, .constants = 0x38, .lineinfo = 0x58, .locvars = 0x68, .upvalues = 0x50,      \
	.source = 0x70, .linedefined = 0x2c, .sizecode = 0x18, .sizelocvars = 0x24,                \
	.abslineinfo = 0x60, .sizeabslineinfo = 0x28, .upvalue_size = 16,                          \
	.op = {.move = 0,                                                                          \
		.loadk = 3,                                                                        \
		.loadnil = 8,                                                                      \
		.getupval = 9,                                                                     \
		.getglobal = 0xff,                                                                 \
		.gettabup = 11,                                                                    \
		.gettable = 12,                                                                    \
		.getfield = 14,                                                                    \
		.self = 20,                                                                        \
		.jmp = 56,                                                                         \
		.call = 68,                                                                        \
		.tailcall = 69,                                                                    \
		.forloop = 0xff,                                                                   \
		.forprep = 0xff,                                                                   \
		.tforcall = 76,                                                                    \
		.sets = {BITS(0, 9) | BITS(11, 14) | BITS(19, 45) | BITS(49, 53),                  \
			BITS(67 - 64, 69 - 64) | BITS(73 - 64, 74 - 64) | BIT(77 - 64) |           \
				BITS(79 - 64, 81 - 64)}}

static const struct puc_shape lua54 = {
	SINCE_5_4,
	.minor = 4,
	.status = 10,
	.mainthread = 0x108,
	.not_called = 1 << 3 | 1 << 5 | 1 << 7,
	.fresh = 1 << 2,
};

static const struct puc_shape lua55 = {
	SINCE_5_4,
	.minor = 5,
	.status = 11,
	.main = 0x588,
	.not_called = 1 << 4 | 1 << 6 | 1 << 8,
	.fresh = 1 << 0,
};

const struct puc_shape *puc_shape(unsigned minor, unsigned release)
{
	static const struct {
		unsigned first; /* the first release that has this shape */
		const struct puc_shape *shape;
	} versions[] = {{0, NULL}, {0, &lua51}, {1, &lua52}, {3, &lua53}, {3, &lua54}, {0, &lua55}};

	return minor < ARRAY_LEN(versions) && release >= versions[minor].first
		       ? versions[minor].shape
		       : NULL;
}
