/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs call frame instructions (DWARF 5 6.4.2) and turns the resulting states into rules. */
#ifndef UNWIND_CFA_H
#define UNWIND_CFA_H

#include "arch/x86_64/registers.h"
#include "lib/bytes.h"

struct pointer_bases;
struct unwind_range;
struct unwind_rows;

enum cfa_how {
	CFA_UNSPECIFIED,
	CFA_UNDEFINED,
	CFA_SAME,
	CFA_OFFSET,           /* saved at CFA + offset; for the CFA: its register + offset */
	CFA_VALUE,            /* the register's value is CFA + offset */
	CFA_EXPRESSION,       /* gives the address where it is saved; for the CFA: the CFA itself */
	CFA_VALUE_EXPRESSION, /* gives the register's value */
	CFA_REGISTER,         /* in the register of number offset */
	CFA_OTHER,
};

struct cfa_place {
	enum cfa_how how;
	uint32_t size; /* bytes in the expression */
	union {
		int64_t offset;
		const unsigned char *expression;
	};
};

/* Tracked registers. */
enum { CFA_RA, CFA_FP, CFA_BASE, CFA_SP, CFA_KEPT, CFA_TRACKED = CFA_KEPT + REGS_KEPT };

struct cfa_state {
	struct cfa_place cfa, saved[CFA_TRACKED];
	uint64_t reg; /* the register of the CFA */
};

/* A CIE, which is common to the programs of its FDEs. */
struct cfa_common {
	uint64_t code_align;
	int64_t data_align;
	unsigned char encoding; /* encoding of pointers */
	bool signal, sized;     /* the augmentation has S, z */
	const struct pointer_bases *bases;
	struct cfa_state initial;
};

/*
 * Runs the CIE's initial instructions and sets COMMON->initial. Returns false if they are
 * malformed.
 */
bool cfa_begin(struct cfa_common *common, struct bytes program);

/* Runs the PROGRAM of an FDE and adds rows for all of RANGE. */
void cfa_run(const struct cfa_common *common, struct bytes program,
	const struct unwind_range *range, struct unwind_rows *rows);

/*
 * Returns true if the function of STATE has moved REG_SP by a large frame for code that it jumps
 * to, as an expression for the caller's REG_SP tells: GHC's StgRun.
 */
bool cfa_is_host(const struct cfa_state *state);

/* Turns STATE into a rule. Returns false if the table format cannot express it. */
struct unwind_rule;
bool cfa_rule(
	const struct cfa_common *common, const struct cfa_state *state, struct unwind_rule *rule);

#endif
