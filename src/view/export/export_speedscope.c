/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes speedscope's file format, as defined in its file-format-schema.json: one "sampled"
 * profile.
 */
#include "export.h"
#include "lib/format/json.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "model/leaves.h"
#include "view/preorder.h"
#include "view/view.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *unit_of(const struct profile *p)
{
	static const struct {
		const char *ours, *theirs;
	} units[] = {{"us", "microseconds"}, {"ns", "nanoseconds"}, {"bytes", "bytes"}};

	for (size_t i = 0; i < ARRAY_LEN(units); i++)
		if (!strcmp(p->unit, units[i].ours))
			return units[i].theirs;
	return "none";
}

static void add_frame(const struct profile *p, uint32_t frame, struct strbuf *out)
{
	struct export_source source = export_source(p, frame);
	const char *module = export_module(p, frame);
	struct strbuf name = STRBUF_INIT;

	export_name(p, frame, &name);
	strbuf_adds(out, "{\"name\":");
	json_string(out, name.buf, name.len);
	if (source.len || *module) {
		strbuf_adds(out, ",\"file\":");
		json_string(out, source.len ? source.file : module,
			source.len ? source.len : strlen(module));
	}
	if (source.line)
		strbuf_addf(out, ",\"line\":%" PRIu32, source.line);
	strbuf_addch(out, '}');
	strbuf_release(&name);
}

/* Writes the list of frames. The index of a frame is its number - 1. */
static void write_frames(const struct profile *p, FILE *out)
{
	struct strbuf line = STRBUF_INIT;

	fputs("\"shared\":{\"frames\":[", out);
	for (uint32_t i = 1; i < p->nr_frames; i++) {
		strbuf_adds(&line, i > 1 ? ",\n" : "\n");
		add_frame(p, i, &line);
		strbuf_flush(&line, out);
	}
	fputs("\n]},\n", out);
	strbuf_release(&line);
}

/*
 * Writes the stacks, root first. The text of the common prefix with the previous stack is reused.
 * The format has no labels: states of waits are left out, so that functions have their self weight.
 */
static void write_samples(const struct profile *p, uint64_t scale, FILE *out)
{
	struct preorder w = preorder_begin(p);
	struct strbuf line = STRBUF_INIT;
	size_t *ends = NULL, alloc = 0; /* end of each level's text in the line */
	const char *before = "\n[";
	struct leaves leaves;

	leaves_init(&leaves, p);
	do {
		ALLOC_GROW(ends, w.depth, alloc);
		line.len = w.depth ? ends[w.depth - 1] : 0;
		if (w.depth && !leaves_is_state(&leaves, w.node)) {
			strbuf_adds(&line, line.len ? "," : "");
			strbuf_addu(&line, p->nodes[w.node].frame - 1);
		}
		ends[w.depth] = line.len;
		if (!preorder_self(&w, scale))
			continue;
		fputs(before, out);
		fwrite(line.buf, 1, line.len, out);
		fputc(']', out);
		before = ",\n[";
	} while (preorder_next(&w));
	leaves_release(&leaves);
	free(ends);
	strbuf_release(&line);
}

static void write_weights(const struct profile *p, uint64_t scale, FILE *out)
{
	struct preorder w = preorder_begin(p);
	const char *before = "\n";

	do {
		uint64_t self = preorder_self(&w, scale);

		if (!self)
			continue;
		fprintf(out, "%s%" PRIu64, before, self);
		before = ",\n";
	} while (preorder_next(&w));
}

static void write_head(const struct profile *p, uint64_t scale, FILE *out)
{
	struct strbuf head = STRBUF_INIT, title = STRBUF_INIT;

	export_title(p, scale, &title);
	strbuf_adds(&head, "\"profiles\":[{\"type\":\"sampled\",\"name\":");
	if (!title.len)
		strbuf_adds(&title, "profile");
	json_string(&head, title.buf, title.len);
	strbuf_addf(&head, ",\"unit\":\"%s\",\"startValue\":0,\"endValue\":%" PRIu64, unit_of(p),
		p->nodes[0].total / scale);
	strbuf_flush(&head, out);
	strbuf_release(&head);
	strbuf_release(&title);
}

int view_speedscope(const struct profile *p, FILE *out, struct strbuf *err)
{
	uint64_t scale = preorder_scale(p, UINT64_C(1) << 53); /* limit of a double */

	fputs("{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n"
	      "\"exporter\":\"flametap " VERSION "\",\n",
		out);
	write_frames(p, out);
	write_head(p, scale, out);
	fputs(",\n\"samples\":[", out);
	write_samples(p, scale, out);
	fputs("\n],\n\"weights\":[", out);
	write_weights(p, scale, out);
	fputs("\n]}]}\n", out);
	return written(out, err);
}
