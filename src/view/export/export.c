/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "export.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "view/rules.h"

#include <inttypes.h>
#include <string.h>

#define KERNEL "[kernel.kallsyms]"

void export_name(const struct profile *p, uint32_t frame, struct strbuf *out)
{
	size_t len;
	const char *name = rules_function(p, frame, &len);

	strbuf_add(out, name, len);
	if (p->frames[frame].kind == FRAME_WAKER)
		strbuf_adds(out, frame_kind_suffix(FRAME_WAKER));
}

const char *export_module(const struct profile *p, uint32_t frame)
{
	static const char *const of_kind[FRAME_KINDS] = {
		[FRAME_KERNEL] = KERNEL,
		[FRAME_WAKER] = KERNEL,
		[FRAME_JIT] = "[jit]",
	};
	const char *module = profile_module(p, frame);
	const struct language *language = frame_language(p->frames[frame].kind);

	if (!strcmp(module, "[kernel]"))
		return KERNEL;
	if (!*module && language)
		return language->module;
	if (!*module && of_kind[p->frames[frame].kind])
		return of_kind[p->frames[frame].kind];
	return module;
}

struct export_source export_source(const struct profile *p, uint32_t frame)
{
	uint32_t source = p->frames[frame].source;
	struct export_source s = {
		strpool_get(&p->names, source), strpool_len(&p->names, source), 0};
	const char *colon = memrchr(s.file, ':', s.len);
	uint64_t line;

	if (!colon || !parse_u64(colon + 1, s.len - (size_t)(colon + 1 - s.file), 10, &line) ||
		line > UINT32_MAX)
		return s;
	s.len = (size_t)(colon - s.file);
	s.line = (uint32_t)line;
	return s;
}

void export_title(const struct profile *p, uint64_t scale, struct strbuf *out)
{
	profile_heading(p, out);
	if (scale > 1)
		strbuf_addf(out, "%sweights in units of %" PRIu64 " %s", p->title ? ", " : "",
			scale, p->unit);
}
