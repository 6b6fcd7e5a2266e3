/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "callee.h"
#include "code_flow.h"
#include "arch/x86_64/insn.h"
#include "lib/util.h"

#include <stdlib.h>

enum {
	DEPTH_MAX = 4,    /* levels of nested calls */
	INSNS_MAX = 4000, /* instructions of one function */
};

/* The instructions of one function, in any order. */
struct callee_scan {
	struct code_flow *flow;
	struct table seen; /* the key is (address, 0), without a value */
	uint64_t *work;    /* addresses to continue from */
	size_t nr_work, work_alloc;
	unsigned int depth, nr_insns;
	uint32_t writes;
};

static uint32_t writes_of(struct code_flow *f, uint64_t address, unsigned int depth);

static void add_work(struct callee_scan *s, uint64_t address)
{
	ALLOC_GROW(s->work, s->nr_work, s->work_alloc);
	s->work[s->nr_work++] = address;
}

/*
 * Continues after INSN at ADDRESS. Returns false if the next instruction does not follow in memory.
 */
static bool follow(struct callee_scan *s, const struct insn *insn, uint64_t address)
{
	enum insn_next next = insn_next(insn);
	uint64_t target;

	switch (next) {
	case NEXT_CALL:
		if (!insn_target(insn, address, &target))
			s->writes = CALLEE_WRITES_ALL;
		else if (insn->immediate)
			s->writes |= writes_of(s->flow, target, s->depth + 1);
		return true;
	case NEXT_JUMP:
	case NEXT_BRANCH:
		if (insn_target(insn, address, &target))
			add_work(s, target);
		return next == NEXT_BRANCH;
	case NEXT_INDIRECT:
		s->writes = CALLEE_WRITES_ALL;
		return false;
	case NEXT_RETURN:
	case NEXT_END:
		return false;
	default:
		return true;
	}
}

/*
 * Returns true if the instruction at ADDRESS is to be decoded. The scan ends when there are too
 * many.
 */
static bool enter(struct callee_scan *s, uint64_t address)
{
	bool is_new;

	table_put(&s->seen, address, 0, &is_new);
	if (!is_new)
		return false;
	if (++s->nr_insns <= INSNS_MAX && s->flow->nr_searched++ < s->flow->nr_bytes)
		return true;
	s->writes = CALLEE_WRITES_ALL;
	return false;
}

static void scan_from(struct callee_scan *s, uint64_t address)
{
	struct insn insn;

	for (; s->writes != CALLEE_WRITES_ALL; address += insn.length) {
		const struct code_piece *piece = code_flow_piece(s->flow, address);

		if (piece && !enter(s, address))
			return;
		if (!piece || !insn_decode(&insn, piece->bytes + (address - piece->start),
				      piece->end - address)) {
			s->writes = CALLEE_WRITES_ALL;
			return;
		}
		s->writes |= insn_writes(&insn) & CALLEE_WRITES_ALL;
		if (insn_is_pop(&insn))
			s->writes |= 1U << insn.low;
		if (!follow(s, &insn, address))
			return;
	}
}

static uint32_t writes_of(struct code_flow *f, uint64_t address, unsigned int depth)
{
	struct callee_scan s = {.flow = f, .depth = depth};
	bool is_new;
	uint32_t *known;

	if (depth >= DEPTH_MAX)
		return CALLEE_WRITES_ALL;
	known = table_put(&f->callees, address, 0, &is_new);
	if (!is_new)
		return *known;
	*known = CALLEE_WRITES_ALL; /* the result for recursive calls */
	table_init(&s.seen);
	add_work(&s, address);
	while (s.nr_work && s.writes != CALLEE_WRITES_ALL)
		scan_from(&s, s.work[--s.nr_work]);
	table_release(&s.seen);
	free(s.work);
	*table_put(&f->callees, address, 0, &is_new) = s.writes;
	return s.writes;
}

uint32_t callee_writes(struct code_flow *f, uint64_t address)
{
	return writes_of(f, address, 0);
}
