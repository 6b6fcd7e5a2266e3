/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bpftrace's maps, and the stacks of bcc's tools. */
#include "fuzz.h"
#include "input/bcc.h"
#include "input/bpftrace.h"
#include "lib/strbuf.h"

static void check(const uint8_t *data, size_t size, bool bcc)
{
	struct strbuf notes = STRBUF_INIT;
	struct lines lines;
	struct profile p;
	bool several = false;
	int ret;

	profile_init(&p);
	fuzz_lines(&lines, data, size);
	ret = bcc ? bcc_read(&p, &lines, true, &several, &notes)
		  : bpftrace_read(&p, &lines, NULL, &several, &notes);
	fuzz_lines_end(&lines);
	must(ret >= 0);
	must(ret == 0 || notes.len);
	must(ret == 1 || !account_lost(&p.account));
	fuzz_fold_twice(&p);
	must(p.nodes[0].total == p.account.kept);
	profile_release(&p);
	strbuf_release(&notes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	check(data, size, false);
	check(data, size, true);
	return 0;
}
