/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Machine code without unwind information. The first byte tells where functions begin, and whether
 * the code is in two pieces; the rest is the code. */
#include "fuzz.h"
#include "lib/util.h"
#include "unwind/analysis/code_flow.h"

#include <stdlib.h>
#include <string.h>

enum { START = 0x10000, GAP = 16, STEPS_A_BYTE = 5, STEPS_MIN = 2000 };

/* Every byte has a rule, and every instruction ends inside the code. */
static void use(const struct code_flow *f)
{
	struct unwind_rule rule;
	unsigned int length;

	must(f->nr_steps <= (uint64_t)f->nr_bytes * STEPS_A_BYTE + STEPS_MIN);
	for (uint32_t at = 0; at < f->nr_bytes; at += length) {
		if (code_flow_rule(f, at, &rule, &length)) {
			must(rule.cfa == UNWIND_CFA_REG || rule.cfa == UNWIND_CFA_DEREF);
			must(rule.reg < 16 && rule.ra == -1 && !rule.index);
			must(rule.fp_saved <= UNWIND_LOST && rule.base_saved <= UNWIND_LOST);
		}
		must(length > 0 && length <= 15);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct code_flow flow = {0};
	unsigned char *code;
	size_t half;

	if (size < 2)
		return 0;
	size--;
	code = xmalloc(size); /* on the heap, so that the sanitizer notices a read behind its end */
	memcpy(code, data + 1, size);
	half = data[0] & 1 ? size / 2 : size;
	must(code_flow_add(&flow, START, START + half, code));
	if (half < size)
		must(code_flow_add(&flow, START + half + GAP, START + size + GAP, code + half));
	code_flow_begin(&flow);
	for (unsigned int i = 1; i < 4; i++)
		if (data[0] >> i & 1)
			code_flow_mark(&flow, START + size * i / 4);
	for (unsigned int i = 1; i < 7; i++)
		if (data[0] >> i & 1)
			code_flow_run(&flow, START + size * (i & 3) / 4,
				i < 4 ? START_CALLED : START_REFERENCED);
	code_flow_run_rest(&flow);
	use(&flow);
	code_flow_release(&flow);
	free(code);
	return 0;
}
