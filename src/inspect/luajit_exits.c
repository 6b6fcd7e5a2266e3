/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "luajit_exits.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "runtime/lua/lua_walk.h"
#include "runtime/lua/luajit_find.h"

#include <inttypes.h>
#include <stdlib.h>

enum { CHUNK = 1 << 20, INSTRUCTION = 4 };

/*
 * The exit handler pushes all registers, takes the exit's number from the two bytes that the stub
 * has pushed, stores r15 and r14 in their place, and reads vmstate with mov ecx, [r14+…]. An
 * endbr64 may precede it.
 */
static const unsigned char code[] = {0x41, 0x55, 0x41, 0x54, 0x41, 0x53, 0x41, 0x52, 0x41, 0x51,
	0x41, 0x50, 0x57, 0x56, 0x55, 0x48, 0x8d, 0x6c, 0x24, 0x58, 0x55, 0x53, 0x52, 0x51, 0x50,
	0x0f, 0xb6, 0x45, 0xf8, 0x8a, 0x65, 0xf0, 0x4c, 0x89, 0x7d, 0xf8, 0x4c, 0x89, 0x75, 0xf0,
	0x41, 0x8b, 0x8e};

enum { WHOLE = sizeof(code) + sizeof(int32_t) };

/* Searches the NR bytes that were read at AT, within the mapping M, for the exit handler. */
static bool find_in(const struct mapping *m, uint64_t at, const char *bytes, size_t nr,
	struct luajit_exit_handler *h)
{
	const char *found = memmem(bytes, nr, code, sizeof(code));

	if (!found || (size_t)(bytes + nr - found) < WHOLE)
		return false;
	h->start = m->start;
	h->end = m->end;
	h->offset = m->offset + (at - m->start) + (uint64_t)(found - bytes);
	memcpy(&h->vmstate, found + sizeof(code), sizeof(h->vmstate));
	return true;
}

/* Searches a mapping in chunks that overlap, since the code may be at the end of a chunk. */
static bool find_in_mapping(
	const struct memory *memory, const struct mapping *m, struct luajit_exit_handler *h)
{
	char *bytes = xmalloc(CHUNK);
	bool found = false;

	for (uint64_t at = m->start; !found && at + WHOLE < m->end; at += CHUNK - WHOLE) {
		size_t nr = m->end - at < CHUNK ? m->end - at : CHUNK;

		if (memory_read(memory, at, bytes, nr))
			found = find_in(m, at, bytes, nr, h);
	}
	free(bytes);
	return found;
}

bool luajit_exit_handler_find(const struct luajit_process *p, struct luajit_exit_handler *h)
{
	const struct target_file *file = luajit_file(&p->target);

	for (size_t i = 0; file && i < p->process->nr_maps; i++) {
		const struct mapping *m = &p->ps.maps[p->process->maps[i]];

		if (m->to_ns == INT64_MAX && p->ps.objects[m->object].elf == file->elf &&
			find_in_mapping(&p->target.memory, m, h))
			return true;
	}
	return false;
}

bool luajit_trace_place(const struct luajit_process *p, uint64_t proto, uint64_t pc,
	struct strbuf *function, uint32_t *line)
{
	const struct lua_layout layout = {.kind = LUA_JIT, .jit = p->layout};
	/* the texts have the line of the bytecode before at */
	const struct vm_frame frame = {
		.what = VM_WHAT(LUA_FUNCTION) | (proto & VM_ADDRESS), .at = pc + INSTRUCTION};
	const struct vm_frame none = {0};
	struct lua_texts texts;

	*line = 0;
	if (!proto)
		return false;
	lua_frame_texts(&layout, &p->target.memory, &frame, &none, &texts);
	if (!texts.named || !lua_texts_file(&texts, function))
		return false;
	strbuf_addf(function, ":%" PRIu32, texts.first_line);
	*line = texts.line;
	return true;
}

const char *luajit_link_name(unsigned link_type)
{
	static const char *const names[] = {"none", "root", "loop", "tail-recursion",
		"up-recursion", "down-recursion", "interpreter", "return", "stitch"};

	return link_type < ARRAY_LEN(names) ? names[link_type] : "";
}
