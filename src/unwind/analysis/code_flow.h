/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Follows code without unwind information from the starts of functions, and finds the rule of each
 * instruction. Flows that share code are a component. It is trusted only if its own returns pop
 * where its rules say that the return address is. This refuses code that ends in jumps alone (GHC,
 * V8), and data taken for code.
 *
 * The code is untrusted: time and memory are bounded by its size, and code that needs more has no
 * rules.
 */
#ifndef UNWIND_ANALYSIS_CODE_FLOW_H
#define UNWIND_ANALYSIS_CODE_FLOW_H

#include "lib/table.h"
#include "unwind/format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct stack_state;

/* What a state is that of. */
enum code_moment {
	AT_JOIN,   /* the code there */
	AT_SWITCH, /* the indirect jump before it */
};

/* Code without unwind information. */
struct code_piece {
	uint64_t start, end;        /* addresses */
	const unsigned char *bytes; /* end - start of them */
	uint32_t first;             /* index in code_flow.bytes */
};

/* How sure it is that a function begins somewhere. */
enum code_start {
	START_CALLED,     /* it is called, or a symbol says so */
	START_REFERENCED, /* its address is used somewhere */
	START_REST,       /* code that nothing else has reached */
};

struct code_flow {
	struct code_piece *pieces; /* by address */
	size_t nr_pieces, pieces_alloc;
	struct code_byte {
		uint32_t component;
		uint16_t rule;       /* number in rules; 0: none */
		uint8_t length;      /* of the instruction that begins here; 0: none is known */
		bool is_join : 1;    /* flows may meet here */
		bool is_start : 1;   /* of a function that is called: the stack is known */
		bool is_first : 1;   /* of a component, as that was found */
		bool is_switch : 1;  /* after an indirect jump */
		bool is_waiting : 1; /* in work, and not run yet */
	} * bytes;
	uint32_t nr_bytes;
	struct unwind_rule *rules;
	size_t nr_rules, rules_alloc;
	struct table rule_numbers;
	struct stack_state *states; /* at join points that were reached */
	size_t nr_states, states_alloc;
	struct table states_at; /* (index in bytes, enum code_moment) -> number of a state */
	uint32_t *work;         /* indexes of join points to go on from */
	size_t nr_work, work_alloc;
	uint64_t *called; /* addresses of functions that were found on the way */
	size_t nr_called, called_alloc;
	struct code_component {
		uint32_t parent;                      /* itself: it is not part of another one */
		uint32_t nr_good, nr_bad, nr_unknown; /* returns */
		int32_t pops_at;                      /* bad ones pop at CFA + this, if all do */
		bool mixed;                           /* they do not */
		uint8_t start;                        /* enum code_start */
		uint16_t writes;                      /* mask of registers */
	} * components;
	size_t nr_components, components_alloc;
	uint32_t current;     /* component */
	uint64_t nr_steps;    /* instructions run so far */
	struct table callees; /* for callee_writes(): (address, 0) -> mask of registers */
	uint64_t nr_searched; /* and the instructions that it has looked at */
	bool too_much;        /* time or memory: nothing is trusted */
};

/* Adds a piece, in the order of addresses. False: it is too much code. */
bool code_flow_add(struct code_flow *f, uint64_t start, uint64_t end, const unsigned char *bytes);
/* The piece that ADDRESS is in; NULL: none. */
const struct code_piece *code_flow_piece(const struct code_flow *f, uint64_t address);
/* To be called when all pieces are there. */
void code_flow_begin(struct code_flow *f);
void code_flow_release(struct code_flow *f);

/* Says that a function that is called begins at ADDRESS; to be said of all before the first run. */
void code_flow_mark(struct code_flow *f, uint64_t address);
/* Follows the function that begins at ADDRESS, and those that it calls. */
void code_flow_run(struct code_flow *f, uint64_t address, enum code_start start);
/* Follows what has not been reached. */
void code_flow_run_rest(struct code_flow *f);

/*
 * The rule of the instruction that begins at byte INDEX, and its LENGTH or, where none does, 1.
 * False: it has none that is trusted.
 */
bool code_flow_rule(
	const struct code_flow *f, uint32_t index, struct unwind_rule *rule, unsigned int *length);

#endif
