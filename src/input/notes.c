/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "notes.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "model/waits.h"

#include <stdlib.h>
#include <string.h>

#define COLD ".cold"

static bool in_brackets(const char *name, size_t len)
{
	return len > 2 && name[0] == '[' && name[len - 1] == ']';
}

bool name_is_note(const char *name, size_t len)
{
	static const char *const notes[] = {"[truncated]", "[broken]", "[lost]", "[unreadable]",
		"[Missed User Stack]", "[Missed Kernel Stack]"};

	if (!in_brackets(name, len))
		return false;
	for (size_t i = 0; i < ARRAY_LEN(notes); i++)
		if (strlen(notes[i]) == len && !memcmp(notes[i], name, len))
			return true;
	return memmem(name, len, ": ", 2) || begins_with(name, len, "[no ") ||
	       wait_is_note(name, len);
}

enum frame_label note_label(const char *name, size_t len)
{
	return wait_is_note(name, len) ? LABEL_STATE : LABEL_NONE;
}

uint32_t note_frame(struct profile *p, const char *name, size_t len)
{
	struct frame frame = {
		.name = strpool_add(&p->names, name, len),
		.kind = FRAME_NOTE,
		.label = note_label(name, len),
	};

	return profile_add_frame(p, &frame);
}

bool note_is_cut(const char *note)
{
	return !strncmp(note, "[truncated", 10);
}

bool note_is_broken(const char *note)
{
	return !strcmp(note, "[broken]") || !strcmp(note, "[no stack]") ||
	       ends_with(note, ": inconsistent]") || !strncmp(note, "[Missed ", 8);
}

bool name_is_unnamed(const char *name, size_t len)
{
	return in_brackets(name, len) && !name_is_note(name, len);
}

static bool is_hex_digit(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

size_t name_of_start(const char *name, size_t len)
{
	const char *end = name + len, *plus;

	if (len > strlen(COLD) && !memcmp(end - strlen(COLD), COLD, strlen(COLD)))
		end -= strlen(COLD);
	for (plus = end; plus > name && is_hex_digit(plus[-1]); plus--)
		;
	if (plus == end || plus - name < 4 || memcmp(plus - 3, "+0x", 3))
		return 0;
	return (size_t)(plus - 3 - name);
}

bool frame_is_unnamed(const struct profile *p, uint32_t frame)
{
	size_t len;
	const char *name = profile_name(p, frame, &len);
	enum frame_kind kind = p->frames[frame].kind;

	if (kind == FRAME_USER && name_of_start(name, len))
		return true;
	return kind != FRAME_NOTE && kind != FRAME_TASK && name_is_unnamed(name, len);
}

const char *module_least_named(const struct profile *p)
{
	uint64_t *weights = xcalloc(p->nr_frames, sizeof(*weights));
	uint32_t most = 0;

	for (uint32_t i = 1; i < p->nr_nodes; i++)
		add_capped(&weights[p->nodes[i].frame], p->nodes[i].total);
	for (uint32_t i = 1; i < p->nr_frames; i++)
		if (weights[i] > weights[most] && frame_is_unnamed(p, i))
			most = i;
	free(weights);
	if (!most)
		return NULL;
	return *profile_module(p, most) ? profile_module(p, most) : profile_name(p, most, NULL);
}

void set_unnamed(struct strbuf *name, const char *module, size_t len)
{
	const char *slash = memrchr(module, '/', len);
	const char *file = slash ? slash + 1 : module;
	size_t n = (size_t)(module + len - file);

	strbuf_reset(name);
	if (!n) {
		strbuf_adds(name, "[unknown]");
	} else if (*module == '[') {
		strbuf_add(name, module, len);
	} else {
		strbuf_addch(name, '[');
		strbuf_add(name, file, n);
		strbuf_addch(name, ']');
	}
}
