/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Our picture as an input. Data that begin with "<" are the file; otherwise the part before the
 * first NUL is the picture's frames and the rest is its tree. */
#include "fuzz.h"
#include "lib/strbuf.h"

#include <string.h>

static void add_text(struct strbuf *out, const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++)
		strbuf_addch(out, s[i] == '<' || s[i] == '&' || s[i] < 9 ? '-' : s[i]);
}

static void add_file(struct strbuf *out, const char *data, size_t size)
{
	const char *nul = size && *data != '<' ? memchr(data, 0, size) : NULL;

	if (!nul) {
		strbuf_add(out, data, size);
		return;
	}
	strbuf_adds(out,
		"<svg xmlns='http://www.w3.org/2000/svg'>"
		"<f:profile xmlns:f='urn:flametap:profile' version='2' total='7' scale='2' "
		"nodes='3'><f:modules>m\n</f:modules><f:frames>");
	add_text(out, data, (size_t)(nul - data));
	strbuf_adds(out, "\n</f:frames><f:tree><f:t>");
	add_text(out, nul + 1, (size_t)(data + size - nul - 1));
	strbuf_adds(out, "</f:t></f:tree></f:profile></svg>");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct strbuf notes = STRBUF_INIT, file = STRBUF_INIT;
	struct lines lines;
	struct profile p;
	int ret;

	profile_init(&p);
	add_file(&file, (const char *)data, size);
	fuzz_lines(&lines, file.buf, file.len);
	ret = picture_format.read(&(struct text_input){
		.lines = &lines, .options = &(struct text_options){0}, .p = &p, .notes = &notes});
	fuzz_lines_end(&lines);
	must(ret == 0 || notes.len);
	if (!ret && !p.nodes[0].self) { /* a root without self weight has no line */
		fuzz_fold_twice(&p);
		must(p.nodes[0].total == p.account.kept);
	}
	profile_release(&p);
	strbuf_release(&notes);
	strbuf_release(&file);
	return 0;
}
