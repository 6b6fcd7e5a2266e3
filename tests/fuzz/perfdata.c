/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A perf.data file. Whatever it contains, what is read of it is a valid recording. */
#include "fuzz.h"
#include "input/perfdata/perfdata.h"
#include "lib/strbuf.h"
#include "model/labels.h"
#include "symbol/opener.h"

/* There are no files. A helper process would take most of the time. */
struct found_file opener_find(struct opener *o, const char *root, const char *path)
{
	(void)o;
	(void)root;
	(void)path;
	return FOUND_NONE;
}

struct found_file opener_find_debug(
	struct opener *o, const char *build_id, const struct debug_paths *where)
{
	(void)o;
	(void)build_id;
	(void)where;
	return FOUND_NONE;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct label_choice choices[] = {{.key = "path"}, {.key = "action"}};
	static const struct label_filter labels = {.choices = choices, .nr = 2};
	const struct perfdata_options options = {
		.paths = {.root = "/no", .path = "/no"}, .by = "state", .labels = &labels};
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
