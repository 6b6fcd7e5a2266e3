/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fuzz.h"
#include "input/perfscript.h"
#include "lib/strbuf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct perfscript_options options = {.sources = true, .threads = size % 2};
	struct strbuf notes = STRBUF_INIT;
	struct lines lines;
	struct profile p;
	bool several = false;
	int ret;

	profile_init(&p);
	fuzz_lines(&lines, data, size);
	ret = perfscript_read(&p, &lines, &options, &several, &notes);
	fuzz_lines_end(&lines);
	must(ret >= 0);
	must(ret == 0 || notes.len);
	must(ret == 1 || !p.account.lost[LOST_UNREADABLE]);
	fuzz_fold_twice(&p);
	must(p.nodes[0].total == p.account.kept);
	profile_release(&p);
	strbuf_release(&notes);
	return 0;
}
