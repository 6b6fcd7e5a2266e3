/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fuzz.h"
#include "lib/folded.h"
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
	must(folded_read(&q, &lines, &notes) == 0);
	fuzz_lines_end(&lines);
	text2 = fold(&q, &len2);
	must(len == len2 && !memcmp(text, text2, len));
	must(p->nodes[0].total == q.nodes[0].total);
	profile_release(&q);
	strbuf_release(&notes);
	free(text);
	free(text2);
}
