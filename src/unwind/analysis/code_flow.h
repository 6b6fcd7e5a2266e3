/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Follows code without unwind information from the starts of functions, and finds the rule of each
 * instruction. Flows that share code form a component. A component is trusted only if its own
 * returns pop the return address from the place that its rules give. This rejects code that ends in
 * jumps alone (GHC, V8), and data that is mistaken for code.
 *
 * The code is untrusted: time and memory are bounded by its size, and code that exceeds the limits
 * has no rules.
 */
#ifndef UNWIND_ANALYSIS_CODE_FLOW_H
#define UNWIND_ANALYSIS_CODE_FLOW_H

#include "lib/table.h"
#include "unwind/format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct stack_state;

/* The place that a state belongs to. */
enum code_moment {
	AT_JOIN,   /* the join point at this byte */
	AT_SWITCH, /* the indirect jump before this byte */
};

/* Code without unwind information. */
struct code_piece {
	uint64_t start, end;        /* addresses */
	const unsigned char *bytes; /* end - start bytes */
	uint32_t first;             /* index in code_flow.bytes */
};

/* How certain it is that a function begins at an address. */
enum code_start {
	START_CALLED,     /* it is called, or a symbol marks it */
	START_REFERENCED, /* its address is taken somewhere */
	START_REST,       /* no other flow has reached it */
};

struct code_flow {
	struct code_piece *pieces; /* sorted by address */
	size_t nr_pieces, pieces_alloc;
	struct code_byte {
		uint32_t component;
		uint16_t rule;       /* number in rules, or 0 if there is none */
		uint8_t length;      /* of the instruction that begins here, or 0 if unknown */
		bool is_join : 1;    /* flows may meet here */
		bool is_start : 1;   /* start of a function that is called: the stack is known */
		bool is_first : 1;   /* start of a component when it was created */
		bool is_switch : 1;  /* after an indirect jump */
		bool is_waiting : 1; /* in the list work, and not run yet */
	} * bytes;
	uint32_t nr_bytes;
	struct unwind_rule *rules;
	size_t nr_rules, rules_alloc;
	struct table rule_numbers;
	struct stack_state *states; /* at the join points that were reached */
	size_t nr_states, states_alloc;
	struct table states_at; /* (index in bytes, enum code_moment) -> number of a state */
	uint32_t *work;         /* indexes of the join points to continue from */
	size_t nr_work, work_alloc;
	uint64_t *called; /* addresses of functions whose calls were found */
	size_t nr_called, called_alloc;
	struct code_component {
		uint32_t parent; /* its own index if it is not part of another component */
		uint32_t nr_good, nr_bad, nr_unknown; /* numbers of returns */
		int32_t pops_at;                      /* bad returns pop at CFA + this */
		bool mixed;      /* bad returns pop at different places, not only at pops_at */
		uint8_t start;   /* enum code_start */
		uint16_t writes; /* mask of registers */
	} * components;
	size_t nr_components, components_alloc;
	uint32_t current;     /* component that is run */
	uint64_t nr_steps;    /* instructions run so far */
	struct table callees; /* used by callee_writes(): (address, 0) -> mask of registers */
	uint64_t nr_searched; /* instructions that callee_writes() has decoded */
	bool too_much;        /* time or memory has run out, and no rule is trusted */
};

/*
 * Adds a piece; pieces must come in the order of their addresses. Returns false if it is too much
 * code.
 */
bool code_flow_add(struct code_flow *f, uint64_t start, uint64_t end, const unsigned char *bytes);
/* Returns the piece that contains ADDRESS, or NULL if there is none. */
const struct code_piece *code_flow_piece(const struct code_flow *f, uint64_t address);
/* To be called after all pieces are added. */
void code_flow_begin(struct code_flow *f);
void code_flow_release(struct code_flow *f);

/* Marks ADDRESS as the start of a called function. All marks must be set before the first run. */
void code_flow_mark(struct code_flow *f, uint64_t address);
/* Follows the function that begins at ADDRESS, and the functions that it calls. */
void code_flow_run(struct code_flow *f, uint64_t address, enum code_start start);
/* Follows the code that has not been reached. */
void code_flow_run_rest(struct code_flow *f);

/*
 * Gets the rule of the instruction that begins at byte INDEX, and its LENGTH, which is 1 where no
 * instruction begins. Returns false if there is no rule that is trusted.
 */
bool code_flow_rule(
	const struct code_flow *f, uint32_t index, struct unwind_rule *rule, unsigned int *length);

#endif
