/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fuzz.h"
#include "input/folded.h"
#include "lib/strbuf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct strbuf notes = STRBUF_INIT;
	struct lines lines;
	struct profile p;
	int ret;

	profile_init(&p);
	fuzz_lines(&lines, data, size);
	ret = folded_read(&p, &lines, &notes);
	fuzz_lines_end(&lines);
	must(ret >= 0);
	must((ret == 1) == (account_lost(&p.account) > 0) && (ret == 0 || notes.len));
	fuzz_fold_twice(&p);
	must(p.nodes[0].total == p.account.kept);
	profile_release(&p);
	strbuf_release(&notes);
	return 0;
}
