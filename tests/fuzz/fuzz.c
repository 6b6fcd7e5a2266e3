/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fuzz.h"
#include "lib/strbuf.h"
#include "view/view.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void fuzz_lines(struct lines *lines, const void *data, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	must(fd >= 0);
	must(write(fd, data, size) == (ssize_t)size);
	must(lseek(fd, 0, SEEK_SET) == 0);
	lines_init(lines, fd);
}

void fuzz_lines_end(struct lines *lines)
{
	close(lines->fd);
	lines_release(lines);
}

static char *fold(struct profile *p, size_t *len)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, len);

	must(out);
	profile_finish(p);
	must(view_folded(p, out, NULL) == 0);
	must(fclose(out) == 0);
	return text;
}

void fuzz_fold_twice(struct profile *p)
{
	struct strbuf notes = STRBUF_INIT;
	struct lines lines;
	struct profile q;
	size_t len, len2;
	char *text = fold(p, &len), *text2;

	profile_init(&q);
	fuzz_lines(&lines, text, len);
	must(folded_format.read(&(struct text_input){.lines = &lines,
		     .options = &(struct text_options){0},
		     .p = &q,
		     .notes = &notes}) == 0);
	fuzz_lines_end(&lines);
	text2 = fold(&q, &len2);
	must(len == len2 && !memcmp(text, text2, len));
	must(p->nodes[0].total == q.nodes[0].total);
	profile_release(&q);
	strbuf_release(&notes);
	free(text);
	free(text2);
}

static void fuzz_any(const struct text_format *format, const struct text_options *options,
	const uint8_t *data, size_t size, bool whole)
{
	struct strbuf notes = STRBUF_INIT;
	struct lines lines;
	struct profile p;
	int ret;

	profile_init(&p);
	fuzz_lines(&lines, data, size);
	ret = format->read(&(struct text_input){
		.lines = &lines, .options = options, .p = &p, .notes = &notes});
	fuzz_lines_end(&lines);
	must(ret >= 0 || whole);
	must(ret == 0 || notes.len);
	must(ret == 1 || !p.account.lost[LOST_UNREADABLE]);
	if (ret >= 0) {
		fuzz_fold_twice(&p);
		must(p.nodes[0].total == p.account.kept);
	}
	profile_release(&p);
	strbuf_release(&notes);
}

void fuzz_text(const struct text_format *format, const struct text_options *options,
	const uint8_t *data, size_t size)
{
	fuzz_any(format, options, data, size, false);
}

void fuzz_whole(const struct text_format *format, const struct text_options *options,
	const uint8_t *data, size_t size)
{
	fuzz_any(format, options, data, size, true);
}

int fuzz_read_recording(struct recording *rec, const void *data, size_t size)
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

void fuzz_write_twice(const struct recording *rec)
{
	struct recording again;
	size_t len, len2;
	char *text = write_recording(rec, &len), *text2;

	must(fuzz_read_recording(&again, text, len) == 0 && again.complete);
	text2 = write_recording(&again, &len2);
	must(len == len2 && !memcmp(text, text2, len));
	recording_release(&again);
	free(text);
	free(text2);
}
