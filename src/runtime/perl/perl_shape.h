/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The offsets of the members that a walk over Perl's stacks reads, and constants, in one build of
 * the interpreter (x86-64). The names come from perl's own headers. Members of PERL_CONTEXT begin
 * with cx_, members of struct xpvhv_aux with aux_.
 */
#ifndef RUNTIME_PERL_PERL_SHAPE_H
#define RUNTIME_PERL_PERL_SHAPE_H

#include <stdbool.h>
#include <stdint.h>

struct debugtypes;

/*
 * FIELD(name, structure, path)	the offset of a member, named as for debugtypes_member()
 * LATE(name, structure, path)	the offset of a member that not every version has
 * SIZE(name, structure, path)	the size of a member
 * OPCODE(name)			a constant of the enumeration of opcodes
 * NUMBER(name)			a constant that is a macro
 */
#define PERL_SHAPE(FIELD, LATE, SIZE, OPCODE, NUMBER)                                              \
	LATE(curcop, "interpreter", "Icurcop")                                                     \
	LATE(curstackinfo, "interpreter", "Icurstackinfo")                                         \
	LATE(op, "interpreter", "Iop")                                                             \
	LATE(stack_sp, "interpreter", "Istack_sp")                                                 \
	FIELD(si_cxstack, "stackinfo", "si_cxstack")                                               \
	FIELD(si_prev, "stackinfo", "si_prev")                                                     \
	FIELD(si_cxix, "stackinfo", "si_cxix")                                                     \
	LATE(si_cxsubix, "stackinfo", "si_cxsubix")                                                \
	FIELD(si_type, "stackinfo", "si_type")                                                     \
	SIZE(cx_size, "context", "")                                                               \
	FIELD(cx_kind, "context", "cx_u.cx_blk.blku_type")                                         \
	SIZE(cx_kind_size, "context", "cx_u.cx_blk.blku_type")                                     \
	FIELD(cx_oldcop, "context", "cx_u.cx_blk.blku_oldcop")                                     \
	FIELD(cx_cv, "context", "cx_u.cx_blk.blk_u.blku_sub.cv")                                   \
	FIELD(cx_olddepth, "context", "cx_u.cx_blk.blk_u.blku_sub.olddepth")                       \
	FIELD(cx_retop, "context", "cx_u.cx_blk.blk_u.blku_sub.retop")                             \
	FIELD(cx_eval_retop, "context", "cx_u.cx_blk.blk_u.blku_eval.retop")                       \
	LATE(cx_oldsubix, "context", "cx_u.cx_blk.blk_u.blku_sub.old_cxsubix")                     \
	FIELD(op_type, "op", "op_type")                                                            \
	FIELD(cop_line, "cop", "cop_line")                                                         \
	FIELD(cop_file, "cop", "cop_file|cop_filegv")                                              \
	FIELD(sv_any, "sv", "sv_any")                                                              \
	FIELD(sv_flags, "sv", "sv_flags")                                                          \
	FIELD(sv_u, "sv", "sv_u")                                                                  \
	FIELD(xcv_gv, "xpvcv", "xcv_gv_u|xcv_gv")                                                  \
	FIELD(xcv_stash, "xpvcv", "xcv_stash")                                                     \
	FIELD(xcv_start, "xpvcv", "xcv_start_u")                                                   \
	FIELD(xcv_depth, "xpvcv", "xcv_depth|xiv_u")                                               \
	FIELD(xcv_flags, "xpvcv", "xcv_flags")                                                     \
	SIZE(xcv_flags_size, "xpvcv", "xcv_flags")                                                 \
	FIELD(xgv_namehek, "xpvgv", "xiv_u.xivu_namehek")                                          \
	FIELD(xgv_stash, "xpvgv", "xnv_u.xgv_stash")                                               \
	FIELD(gp_cv, "gp", "gp_cv")                                                                \
	FIELD(gp_egv, "gp", "gp_egv")                                                              \
	FIELD(hek_len, "hek", "hek_len")                                                           \
	FIELD(hek_key, "hek", "hek_key")                                                           \
	FIELD(xhv_max, "xpvhv", "xhv_max")                                                         \
	LATE(xhv_aux, "xpvhv_with_aux", "xhv_aux")                                                 \
	FIELD(aux_name, "xpvhv_aux", "xhv_name_u|xhv_name")                                        \
	LATE(aux_name_count, "xpvhv_aux", "xhv_name_count")                                        \
	NUMBER(CXTYPEMASK)                                                                         \
	NUMBER(CXt_SUB)                                                                            \
	NUMBER(CXt_FORMAT)                                                                         \
	NUMBER(CXt_EVAL)                                                                           \
	NUMBER(CXp_MULTICALL)                                                                      \
	NUMBER(CXp_SUB_RE_FAKE)                                                                    \
	NUMBER(CXp_TRY)                                                                            \
	OPCODE(OP_ENTERSUB)                                                                        \
	OPCODE(OP_NEXTSTATE)                                                                       \
	OPCODE(OP_DBSTATE)                                                                         \
	NUMBER(CVf_ISXSUB)                                                                         \
	NUMBER(CVf_NAMED)                                                                          \
	NUMBER(CVf_LEXICAL)

#define PERL_SHAPE_ALL(X) PERL_SHAPE(X, X, X, X, X)

#define PERL_SHAPE_MEMBER(name, ...) uint32_t name;
struct perl_shape {
	PERL_SHAPE_ALL(PERL_SHAPE_MEMBER)
};
#undef PERL_SHAPE_MEMBER

enum { PERL_NONE = 65535 }; /* the offset of a member that this perl lacks */

/* Constants that are the same in all versions. */
enum perl_number {
	PERL_SVTYPEMASK = 0xff,
	PERL_SVt_PVGV = 9,
	PERL_SVt_PVLV = 10,
	PERL_SVt_PVHV = 12,
	PERL_SVt_PVCV = 13,
	PERL_SVt_PVFM = 14,
	PERL_SVf_ROK = 0x800,
	PERL_SVpgv_GP = 0x8000,
	PERL_SVf_OOK = 0x2000000,
	PERL_PERLSI_MAIN = 1,
	PERL_PERLSI_SORT = 3,
};

/* The first and the last 5.MINOR that perl_shape_known() knows. */
enum { PERL_FIRST = 10, PERL_LAST = 44 };

/*
 * Gives the shape of the stable version 5.MINOR, with or without threads. Returns false if it is
 * not known.
 */
bool perl_shape_known(unsigned minor, struct perl_shape *shape);

/*
 * Gives the shape of perl 5.MINOR, with members and opcodes from its debug information. Macros are
 * not in debug information; they are taken from the newest known version up to 5.MINOR. Returns
 * false if something is missing or invalid.
 */
bool perl_shape_described(struct debugtypes *types, unsigned minor, struct perl_shape *shape);

/* Returns whether a walk can use the shape. */
bool perl_shape_is_sane(const struct perl_shape *shape);

#endif
