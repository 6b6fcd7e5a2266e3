/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A perf.data file. Whatever it contains, what is read of it is a valid recording. */
#include "fuzz.h"
#include "input/perfdata/perfdata.h"
#include "lib/strbuf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct perfdata_options options = {.paths = {.root = "/no", .path = "/no"}};
	struct strbuf notes = STRBUF_INIT;
	struct recording rec;
	struct lines lines;
	int ret;

	recording_init(&rec);
	fuzz_lines(&lines, data, size);
	ret = perfdata_read(&rec, &lines, &options, &notes);
	fuzz_lines_end(&lines);
	must(!ret || notes.len);
	if (!ret) {
		must(rec.complete || notes.len);
		fuzz_write_twice(&rec);
	}
	strbuf_release(&notes);
	recording_release(&rec);
	return 0;
}
