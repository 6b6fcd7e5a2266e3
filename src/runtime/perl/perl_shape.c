/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "perl_shape.h"
#include "lib/util.h"
#include "perl_frame.h"
#include "symbol/dwarf/debugtype.h"

#include <stddef.h>

#define AT(name) offsetof(struct perl_shape, name)

/*
 * Perl 5.10, with and without threads. Without threads the offsets of curcop and the other members
 * of the interpreter are not used.
 */
static const struct perl_shape first = {
	.curcop = 576,
	.curstackinfo = 592,
	.op = 8,
	.stack_sp = 0,
	.si_cxstack = 8,
	.si_prev = 16,
	.si_cxix = 32,
	.si_cxsubix = PERL_NONE,
	.si_type = 40,
	.cx_size = 112,
	.cx_kind = 0,
	.cx_kind_size = 2,
	.cx_oldcop = 8,
	.cx_cv = 32,
	.cx_olddepth = 72,
	.cx_retop = 88,
	.cx_eval_retop = 72,
	.cx_oldsubix = PERL_NONE,
	.op_type = 32,
	.cop_line = 36,
	.cop_file = 56,
	.sv_any = 0,
	.sv_flags = 12,
	.sv_u = 16,
	.xcv_gv = 72,
	.xcv_stash = 48,
	.xcv_start = 56,
	.xcv_depth = 24,
	.xcv_flags = 108,
	.xcv_flags_size = 2,
	.xgv_namehek = 24,
	.xgv_stash = 0,
	.gp_cv = 16,
	.gp_egv = 56,
	.hek_len = 4,
	.hek_key = 8,
	.xhv_max = 16,
	.xhv_aux = PERL_NONE,
	.aux_name = 0,
	.aux_name_count = PERL_NONE,
	.CXTYPEMASK = 0xff,
	.CXt_SUB = 1,
	.CXt_FORMAT = 6,
	.CXt_EVAL = 2,
	.CXp_MULTICALL = 0x400,
	.CXp_SUB_RE_FAKE = 0,
	.CXp_TRY = 0,
	.OP_ENTERSUB = 169,
	.OP_NEXTSTATE = 177,
	.OP_DBSTATE = 178,
	.CVf_ISXSUB = 0x800,
	.CVf_NAMED = 0,
	.CVf_LEXICAL = 0,
};

/* The changes since 5.10, in the order of versions. */
static const struct {
	uint8_t minor;
	uint16_t at;
	uint32_t value;
} changes[] = {
	{12, AT(curcop), 584},
	{12, AT(curstackinfo), 600},
	{12, AT(cx_size), 80},
	{12, AT(cx_kind_size), 1},
	{12, AT(cx_cv), 40},
	{12, AT(cx_olddepth), 64},
	{12, AT(cx_retop), 32},
	{12, AT(cx_eval_retop), 32},
	{12, AT(cop_file), 48},
	{12, AT(CXTYPEMASK), 0xf},
	{12, AT(CXt_SUB), 8},
	{12, AT(CXt_FORMAT), 9},
	{12, AT(CXt_EVAL), 10},
	{12, AT(CXp_MULTICALL), 0x10},
	{12, AT(OP_ENTERSUB), 173},
	{12, AT(OP_NEXTSTATE), 181},
	{12, AT(OP_DBSTATE), 182},
	{14, AT(curcop), 592},
	{14, AT(curstackinfo), 608},
	{14, AT(xcv_gv), 56},
	{14, AT(xcv_stash), 32},
	{14, AT(xcv_start), 40},
	{14, AT(xcv_depth), 96},
	{14, AT(xcv_flags), 92},
	{14, AT(xgv_namehek), 32},
	{14, AT(xgv_stash), 40},
	{14, AT(xhv_max), 24},
	{14, AT(aux_name_count), 28},
	{14, AT(CVf_ISXSUB), 8},
	{16, AT(OP_ENTERSUB), 175},
	{16, AT(OP_NEXTSTATE), 183},
	{16, AT(OP_DBSTATE), 184},
	{18, AT(curcop), 176},
	{18, AT(curstackinfo), 192},
	{18, AT(CXp_SUB_RE_FAKE), 0x80},
	{18, AT(OP_ENTERSUB), 174},
	{18, AT(OP_NEXTSTATE), 182},
	{18, AT(OP_DBSTATE), 183},
	{18, AT(CVf_NAMED), 0x8000},
	{20, AT(curcop), 208},
	{20, AT(curstackinfo), 224},
	{20, AT(xcv_flags_size), 4},
	{20, AT(OP_ENTERSUB), 176},
	{20, AT(OP_NEXTSTATE), 184},
	{20, AT(OP_DBSTATE), 185},
	{22, AT(curcop), 216},
	{22, AT(curstackinfo), 232},
	{22, AT(cx_size), 88},
	{22, AT(OP_ENTERSUB), 185},
	{22, AT(OP_NEXTSTATE), 193},
	{22, AT(OP_DBSTATE), 194},
	{22, AT(CVf_LEXICAL), 0x10000},
	{24, AT(cx_size), 96},
	{24, AT(cx_oldcop), 16},
	{24, AT(cx_cv), 64},
	{24, AT(cx_olddepth), 72},
	{24, AT(cx_retop), 48},
	{24, AT(cx_eval_retop), 48},
	{24, AT(CXt_SUB), 9},
	{24, AT(CXt_FORMAT), 10},
	{24, AT(CXt_EVAL), 11},
	{26, AT(curcop), 224},
	{26, AT(curstackinfo), 240},
	{26, AT(OP_ENTERSUB), 184},
	{26, AT(OP_NEXTSTATE), 195},
	{26, AT(OP_DBSTATE), 196},
	{32, AT(si_cxsubix), 40},
	{32, AT(si_type), 44},
	{32, AT(cx_size), 104},
	{32, AT(cx_cv), 72},
	{32, AT(cx_olddepth), 80},
	{32, AT(cx_oldsubix), 56},
	{34, AT(curcop), 208},
	{34, AT(curstackinfo), 224},
	{34, AT(CXp_TRY), 0x80},
	{36, AT(xhv_aux), 32},
	{38, AT(OP_ENTERSUB), 187},
	{38, AT(OP_NEXTSTATE), 198},
	{38, AT(OP_DBSTATE), 199},
	{42, AT(OP_ENTERSUB), 191},
	{42, AT(OP_NEXTSTATE), 202},
	{42, AT(OP_DBSTATE), 203},
};

static uint32_t *member(struct perl_shape *shape, size_t at)
{
	return (uint32_t *)((char *)shape + at);
}

static void shape_of(unsigned minor, struct perl_shape *shape)
{
	*shape = first;
	for (size_t i = 0; i < ARRAY_LEN(changes) && changes[i].minor <= minor; i++)
		*member(shape, changes[i].at) = changes[i].value;
}

bool perl_shape_known(unsigned minor, struct perl_shape *shape)
{
	if (minor < PERL_FIRST || minor > PERL_LAST || minor % 2)
		return false;
	shape_of(minor, shape);
	return true;
}

/* ---- debug information ---- */

enum how { HOW_FIELD, HOW_LATE, HOW_SIZE, HOW_OPCODE, HOW_NUMBER };

#define FIELD(name, structure, path) {HOW_FIELD, AT(name), structure, path},
#define LATE(name, structure, path) {HOW_LATE, AT(name), structure, path},
#define SIZE(name, structure, path) {HOW_SIZE, AT(name), structure, path},
#define OPCODE(name) {HOW_OPCODE, AT(name), "opcode", #name},
#define NUMBER(name) {HOW_NUMBER, AT(name), NULL, NULL},
static const struct description {
	enum how how;
	size_t at;
	const char *structure, *path;
} descriptions[] = {PERL_SHAPE(FIELD, LATE, SIZE, OPCODE, NUMBER)};

static bool describe(
	struct debugtypes *types, const struct description *d, struct perl_shape *shape)
{
	uint32_t *value = member(shape, d->at);
	struct debug_member found;

	if (d->how == HOW_NUMBER)
		return true;
	if (d->how == HOW_OPCODE)
		return debugtypes_enumerator(types, d->structure, d->path, value);
	if (!debugtypes_member(types, d->structure, d->path, &found)) {
		*value = PERL_NONE;
		return d->how == HOW_LATE;
	}
	*value = d->how == HOW_SIZE ? found.size : found.offset;
	return *value < PERL_NONE;
}

bool perl_shape_described(struct debugtypes *types, unsigned minor, struct perl_shape *shape)
{
	shape_of(minor, shape);
	for (size_t i = 0; i < ARRAY_LEN(descriptions); i++)
		if (!describe(types, &descriptions[i], shape))
			return false;
	return perl_shape_is_sane(shape);
}

static bool fits(uint32_t offset, uint32_t size, uint32_t whole)
{
	return offset % size == 0 && whole <= PERL_BYTES && offset + size <= whole;
}

/* Checks offsets, since one read takes the whole head of a stack, context or body of a sub. */
bool perl_shape_is_sane(const struct perl_shape *s)
{
	uint32_t si = s->si_type + 4, cx = s->cx_size;

	return fits(s->si_type, 4, si) && fits(s->si_cxstack, 8, si) && fits(s->si_prev, 8, si) &&
	       fits(s->si_cxix, 4, si) && fits(s->cx_kind, s->cx_kind_size == 2 ? 2 : 1, cx) &&
	       fits(s->cx_oldcop, 8, cx) && fits(s->cx_cv, 8, cx) && fits(s->cx_retop, 8, cx) &&
	       fits(s->cx_eval_retop, 8, cx) && fits(s->cx_olddepth, 4, cx) &&
	       fits(s->xcv_gv, 8, PERL_BYTES) && fits(s->xcv_stash, 8, PERL_BYTES) &&
	       fits(s->xcv_start, 8, PERL_BYTES) && fits(s->xcv_depth, 4, PERL_BYTES - 4) &&
	       fits(s->xcv_flags, 2, PERL_BYTES - 6) && fits(s->cop_line, 4, PERL_BYTES) &&
	       fits(s->cop_file, 8, PERL_BYTES - 8) && fits(s->sv_any, 8, PERL_BYTES) &&
	       fits(s->sv_flags, 4, PERL_BYTES) &&
	       (s->xcv_flags_size == 2 || s->xcv_flags_size == 4) &&
	       (s->si_cxsubix == PERL_NONE ||
		       (fits(s->si_cxsubix, 4, si) && fits(s->cx_oldsubix, 4, cx)));
}
