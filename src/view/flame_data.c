/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "flame_data.h"
#include "walk.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "lib/xml.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* printable ASCII without markup, quotes and backslash */
const char flame_digits[FLAME_LAST + FLAME_MORE + 1] =
	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789!#$%()*+,-./:;=?@[]^_`{|}~";

enum { PART = 1 << 20 }; /* bytes of tree in one element: XML readers limit a text's length */

struct flame_class flame_class(const struct profile *p, uint32_t frame)
{
	static const char letters[FRAME_KINDS] = {
		[FRAME_USER] = 'u',
		[FRAME_KERNEL] = 'k',
		[FRAME_INLINE] = 'i',
		[FRAME_JIT] = 'j',
		[FRAME_WAKER] = 'w',
		[FRAME_PERL] = 'p',
		[FRAME_LUA] = 'l',
		[FRAME_TASK] = 't',
		[FRAME_NOTE] = 'n',
	};
	size_t len;
	const char *name = profile_name(p, frame, &len);
	char shade = (char)('0' + hash_bytes(name, len) % FLAME_SHADES);

	return (struct flame_class){{letters[p->frames[frame].kind], shade, '\0'}};
}

uint64_t flame_scale(const struct profile *p)
{
	uint64_t scale = 1;

	while (p->nodes[0].total / scale > UINT64_C(1) << 53)
		scale *= 2;
	return scale;
}

/* Frames as the file numbers them, the most frequent first, so that their numbers are short. */
struct numbering {
	struct numbered {
		uint32_t frame, count, first;
	} * list;
	uint32_t nr;
	uint32_t *number; /* of each frame in the profile */
};

static int compare_numbered(const void *va, const void *vb)
{
	const struct numbered *a = va, *b = vb;

	if (a->count != b->count)
		return (a->count < b->count) - (a->count > b->count);
	return (a->first > b->first) - (a->first < b->first);
}

static void numbering_init(struct numbering *n, const struct profile *p)
{
	struct walk w = walk_begin(p);

	n->list = xcalloc(p->nr_frames, sizeof(*n->list));
	n->number = xcalloc(p->nr_frames, sizeof(*n->number));
	n->nr = 0;
	while (walk_next(&w)) { /* number is the place in list + 1 here, 0: not seen */
		uint32_t frame = p->nodes[w.node].frame;

		if (!n->number[frame]) {
			n->list[n->nr] = (struct numbered){.frame = frame, .first = n->nr};
			n->number[frame] = ++n->nr;
		}
		n->list[n->number[frame] - 1].count++;
	}
	qsort(n->list, n->nr, sizeof(*n->list), compare_numbered);
	for (uint32_t i = 0; i < n->nr; i++)
		n->number[n->list[i].frame] = i;
}

static void numbering_release(struct numbering *n)
{
	free(n->list);
	free(n->number);
}

static void write_names(const struct numbering *n, const struct profile *p, FILE *out)
{
	struct strbuf modules = STRBUF_INIT, frames = STRBUF_INIT;
	uint32_t *module_number = xcalloc((size_t)p->names.nr + 1, sizeof(*module_number));
	uint32_t nr = 0;

	for (uint32_t i = 0; i < n->nr; i++) {
		uint32_t frame = n->list[i].frame, module = p->frames[frame].module;
		size_t len;
		const char *name = profile_name(p, frame, &len);

		if (module && !module_number[module]) {
			module_number[module] = ++nr;
			xml_text(&modules, strpool_get(&p->names, module),
				strpool_len(&p->names, module));
			strbuf_addch(&modules, '\n');
		}
		strbuf_adds(&frames, flame_class(p, frame).s);
		if (module)
			strbuf_addu(&frames, module_number[module]);
		strbuf_addch(&frames, ' ');
		xml_text(&frames, name, len);
		strbuf_addch(&frames, '\n');
	}
	fputs("<ft:modules>", out);
	strbuf_flush(&modules, out);
	fputs("</ft:modules>\n<ft:frames>", out);
	strbuf_flush(&frames, out);
	fputs("</ft:frames>\n", out);
	strbuf_release(&modules);
	strbuf_release(&frames);
	free(module_number);
}

static char *put_number(char *at, uint64_t value)
{
	while (value >= FLAME_LAST) {
		value -= FLAME_LAST;
		*at++ = flame_digits[FLAME_LAST + value % FLAME_MORE];
		value /= FLAME_MORE;
	}
	*at++ = flame_digits[value];
	return at;
}

static uint64_t scaled_self(const struct walk *w, uint64_t scale)
{
	uint64_t end;

	if (__builtin_add_overflow(w->start, w->p->nodes[w->node].self, &end))
		end = UINT64_MAX;
	return end / scale - w->start / scale;
}

static void write_tree(const struct numbering *n, const struct profile *p, FILE *out)
{
	struct strbuf text = STRBUF_INIT;
	struct walk w = walk_begin(p);
	uint64_t scale = flame_scale(p);
	uint32_t before = 0;

	fputs("<ft:tree><ft:t>", out);
	while (walk_next(&w)) {
		char digits[48], *at = digits;
		uint64_t self = scaled_self(&w, scale);

		at = put_number(at, n->number[p->nodes[w.node].frame]);
		at = put_number(at, 2 * (uint64_t)(before + 1 - w.depth) + (self != 0));
		if (self)
			at = put_number(at, self - 1);
		strbuf_add(&text, digits, (size_t)(at - digits));
		before = w.depth;
		if (text.len >= PART) {
			strbuf_flush(&text, out);
			fputs("</ft:t><ft:t>", out);
		}
	}
	strbuf_flush(&text, out);
	fputs("</ft:t></ft:tree>\n", out);
	strbuf_release(&text);
}

void flame_data_write(const struct profile *p, bool inverted, FILE *out)
{
	struct strbuf head = STRBUF_INIT;
	struct numbering n;
	struct walk root = walk_begin(p);
	uint64_t scale = flame_scale(p);

	strbuf_adds(&head, "<ft:profile xmlns:ft=\"urn:flametap:profile\" version=\"1\" unit=\"");
	xml_text(&head, p->unit, strlen(p->unit));
	strbuf_addf(&head, "\" total=\"%" PRIu64 "\" scale=\"%" PRIu64 "\" nodes=\"%" PRIu32 "\"",
		p->nodes[0].total, scale, p->nr_nodes - 1);
	if (scaled_self(&root, scale))
		strbuf_addf(&head, " self=\"%" PRIu64 "\"", scaled_self(&root, scale));
	strbuf_addf(&head, " inverted=\"%d\">\n", inverted);
	strbuf_flush(&head, out);
	numbering_init(&n, p);
	write_names(&n, p, out);
	write_tree(&n, p, out);
	fputs("</ft:profile>\n", out);
	numbering_release(&n);
	strbuf_release(&head);
}
