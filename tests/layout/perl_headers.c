/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compiled with the headers of a perl (its CORE folder): prints what src/layout/perl.h calls a
 * shape, one "name value" a line, as these headers define it. The value 65535 means that this perl
 * has no such field.
 */
#include "EXTERN.h"
#include "perl.h"

#include <stddef.h>
#include <stdio.h>

#undef printf

#define SINCE(minor) (PERL_VERSION >= (minor))
#define NONE 65535UL
#define SAY(name, value) printf("%s %lu\n", #name, (unsigned long)(value))
#define AT(name, type, member) SAY(name, offsetof(type, member))

#ifdef MULTIPLICITY
#define INTERPRETER(name) AT(name, struct interpreter, I##name)
#else
#define INTERPRETER(name) SAY(name, NONE)
#endif

static void print_runtime(void)
{
	INTERPRETER(curcop);
	INTERPRETER(curstackinfo);
	INTERPRETER(op);
	INTERPRETER(stack_sp);
	AT(si_cxstack, PERL_SI, si_cxstack);
	AT(si_prev, PERL_SI, si_prev);
	AT(si_cxix, PERL_SI, si_cxix);
#if SINCE(32)
	AT(si_cxsubix, PERL_SI, si_cxsubix);
#else
	SAY(si_cxsubix, NONE);
#endif
	AT(si_type, PERL_SI, si_type);
}

static void print_context(void)
{
	SAY(cx_size, sizeof(PERL_CONTEXT));
	AT(cx_kind, PERL_CONTEXT, cx_u.cx_blk.blku_type);
	SAY(cx_kind_size, sizeof(((PERL_CONTEXT *)0)->cx_u.cx_blk.blku_type));
	AT(cx_oldcop, PERL_CONTEXT, cx_u.cx_blk.blku_oldcop);
	AT(cx_cv, PERL_CONTEXT, cx_u.cx_blk.blk_u.blku_sub.cv);
	AT(cx_olddepth, PERL_CONTEXT, cx_u.cx_blk.blk_u.blku_sub.olddepth);
	AT(cx_retop, PERL_CONTEXT, cx_u.cx_blk.blk_u.blku_sub.retop);
	AT(cx_eval_retop, PERL_CONTEXT, cx_u.cx_blk.blk_u.blku_eval.retop);
#if SINCE(32)
	AT(cx_oldsubix, PERL_CONTEXT, cx_u.cx_blk.blk_u.blku_sub.old_cxsubix);
#else
	SAY(cx_oldsubix, NONE);
#endif
}

static void print_op(void)
{
	SAY(op_type, offsetof(OP, op_targ) + sizeof(PADOFFSET)); /* the bit field that follows it */
	AT(cop_line, COP, cop_line);
#ifdef USE_ITHREADS
	AT(cop_file, COP, cop_file);
#else
	AT(cop_file, COP, cop_filegv);
#endif
}

static void print_values(void)
{
	AT(sv_any, SV, sv_any);
	AT(sv_flags, SV, sv_flags);
	AT(sv_u, SV, sv_u);
#if SINCE(18)
	AT(xcv_gv, XPVCV, xcv_gv_u);
#else
	AT(xcv_gv, XPVCV, xcv_gv);
#endif
	AT(xcv_stash, XPVCV, xcv_stash);
	AT(xcv_start, XPVCV, xcv_start_u);
#if SINCE(14)
	AT(xcv_depth, XPVCV, xcv_depth);
#else
	AT(xcv_depth, XPVCV, xiv_u.xivu_i32);
#endif
	AT(xcv_flags, XPVCV, xcv_flags);
	SAY(xcv_flags_size, sizeof(((XPVCV *)0)->xcv_flags));
	AT(xgv_namehek, XPVGV, xiv_u.xivu_namehek);
	AT(xgv_stash, XPVGV, xnv_u.xgv_stash);
	AT(gp_cv, GP, gp_cv);
	AT(gp_egv, GP, gp_egv);
	AT(hek_len, HEK, hek_len);
	AT(hek_key, HEK, hek_key);
	AT(xhv_max, XPVHV, xhv_max);
#if SINCE(36)
	AT(xhv_aux, struct xpvhv_with_aux, xhv_aux);
#else
	SAY(xhv_aux, NONE);
#endif
#if SINCE(14)
	AT(aux_name, struct xpvhv_aux, xhv_name_u);
	AT(aux_name_count, struct xpvhv_aux, xhv_name_count);
#else
	AT(aux_name, struct xpvhv_aux, xhv_name);
	SAY(aux_name_count, NONE);
#endif
}

static void print_numbers(void)
{
	SAY(CXTYPEMASK, CXTYPEMASK);
	SAY(CXt_SUB, CXt_SUB);
	SAY(CXt_FORMAT, CXt_FORMAT);
	SAY(CXt_EVAL, CXt_EVAL);
	SAY(CXp_MULTICALL, CXp_MULTICALL);
#ifdef CXp_SUB_RE_FAKE
	SAY(CXp_SUB_RE_FAKE, CXp_SUB_RE_FAKE);
#else
	SAY(CXp_SUB_RE_FAKE, 0);
#endif
#ifdef CXp_TRY
	SAY(CXp_TRY, CXp_TRY);
#else
	SAY(CXp_TRY, 0);
#endif
	SAY(PERLSI_MAIN, PERLSI_MAIN);
	SAY(OP_ENTERSUB, OP_ENTERSUB);
	SAY(OP_NEXTSTATE, OP_NEXTSTATE);
	SAY(OP_DBSTATE, OP_DBSTATE);
	SAY(SVTYPEMASK, SVTYPEMASK);
	SAY(SVt_PVGV, SVt_PVGV);
	SAY(SVt_PVLV, SVt_PVLV);
	SAY(SVt_PVHV, SVt_PVHV);
	SAY(SVt_PVCV, SVt_PVCV);
	SAY(SVt_PVFM, SVt_PVFM);
	SAY(SVf_ROK, SVf_ROK);
	SAY(SVf_OOK, SVf_OOK);
#ifdef SVpgv_GP
	SAY(SVpgv_GP, SVpgv_GP);
#else
	SAY(SVpgv_GP, 0);
#endif
	SAY(CVf_ISXSUB, CVf_ISXSUB);
#ifdef CVf_NAMED
	SAY(CVf_NAMED, CVf_NAMED);
#else
	SAY(CVf_NAMED, 0);
#endif
#ifdef CVf_LEXICAL
	SAY(CVf_LEXICAL, CVf_LEXICAL);
#else
	SAY(CVf_LEXICAL, 0);
#endif
}

int main(void)
{
	print_runtime();
	print_context();
	print_op();
	print_values();
	print_numbers();
	return 0;
}
