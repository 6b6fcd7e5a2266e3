/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fuzz.h"
#include "lib/recording.h"
#include "lib/strbuf.h"
#include "view/view.h"

#include <stdlib.h>
#include <string.h>

static int read_recording(struct recording *rec, const void *data, size_t size)
{
	struct strbuf err = STRBUF_INIT;
	struct lines lines;
	int ret;

	recording_init(rec);
	fuzz_lines(&lines, data, size);
	ret = recording_read(rec, &lines, &err);
	fuzz_lines_end(&lines);
	must(ret == 0 || err.len);
	strbuf_release(&err);
	return ret;
}

static char *write_recording(const struct recording *rec, size_t *len)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, len);

	must(out);
	must(recording_write(rec, out, NULL) == 0);
	must(fclose(out) == 0);
	return text;
}

/* What is written must read as the same again. */
static void write_twice(const struct recording *rec)
{
	struct recording again;
	size_t len, len2;
	char *text = write_recording(rec, &len), *text2;

	must(read_recording(&again, text, len) == 0 && again.complete);
	text2 = write_recording(&again, &len2);
	must(len == len2 && !memcmp(text, text2, len));
	recording_release(&again);
	free(text);
	free(text2);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct recording_view view = {.threads = true, .event = -1};
	struct recording rec;
	struct profile p;
	char *text = NULL;
	size_t len;

	if (read_recording(&rec, data, size) == 0) {
		FILE *out = open_memstream(&text, &len);

		write_twice(&rec);
		must(out && view_bt(&rec, &view, out, NULL) == 0 && fclose(out) == 0);
		free(text);
		profile_init(&p);
		recording_to_profile(&rec, &view, &p);
		fuzz_fold_twice(&p);
		profile_release(&p);
	}
	recording_release(&rec);
	return 0;
}
