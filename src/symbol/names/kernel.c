/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel.h"
#include "lib/strbuf.h"
#include "lib/table.h"
#include "lib/util.h"
#include "model/recording.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

enum { NOTES_MAX = 4096 };

/* Reads up to SIZE bytes of a file. Returns how many it read, or 0 if the file cannot be read. */
static size_t read_file(const char *path, void *buf, size_t size)
{
	FILE *in = fopen(path, "re");
	size_t n = in ? fread(buf, 1, size, in) : 0;

	if (in)
		fclose(in);
	return n;
}

/* Appends the GNU build-id, if any, in hex from a file of ELF notes (elf(5)). */
static void add_build_id(const char *path, struct strbuf *hex)
{
	unsigned char notes[NOTES_MAX];
	size_t n = read_file(path, notes, sizeof(notes));
	Elf64_Nhdr note;

	for (size_t at = 0; at + sizeof(note) <= n;) {
		memcpy(&note, notes + at, sizeof(note));
		size_t name = at + sizeof(note), body = name + ((note.n_namesz + 3ULL) & ~3ULL);
		size_t end = body + ((note.n_descsz + 3ULL) & ~3ULL);

		if (end > n || body > end)
			break;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
			!memcmp(notes + name, "GNU", 4))
			for (size_t i = 0; i < note.n_descsz; i++)
				strbuf_addf(hex, "%02x", notes[body + i]);
		at = end;
	}
}

/*
 * Returns the number in a file such as "0xffffffffc0001000\n", or 0 if there is none or it is
 * hidden (kptr_restrict).
 */
static uint64_t read_address(const char *path)
{
	char text[32];
	size_t n = read_file(path, text, sizeof(text));
	uint64_t address = 0;

	while (n && text[n - 1] == '\n')
		n--;
	return n > 2 && parse_u64(text + 2, n - 2, 16, &address) ? address : 0;
}

static void describe_module(struct recording *rec, const char *sys, const char *name)
{
	char *notes = xasprintf("%s/module/%s/notes/.note.gnu.build-id", sys, name);
	char *text = xasprintf("%s/module/%s/sections/.text", sys, name);
	struct strbuf build_id = STRBUF_INIT;
	struct rec_module m = {.text = read_address(text)};

	add_build_id(notes, &build_id);
	if (m.text && build_id.len) {
		m.name = recording_string(rec, name);
		m.build_id = recording_string(rec, build_id.buf);
		recording_add_module(rec, &m);
	}
	strbuf_release(&build_id);
	free(notes);
	free(text);
}

/* Returns "NAME" of "[NAME]", or NULL if MODULE is not a module. The caller frees it. */
static char *bare_name(const char *module)
{
	size_t n = *module == '[' ? strcspn(module, "]/.") : 0;

	return n > 1 && !strcmp(module + n, "]") && strcmp(module, "[kernel]")
		       ? xstrndup(module + 1, n - 1)
		       : NULL;
}

static void describe_modules(struct recording *rec, const char *sys)
{
	struct table seen; /* module names in brackets */
	bool is_new;

	table_init(&seen);
	for (size_t i = 0; i < rec->nr_frames; i++) {
		const struct rec_frame *f = &rec->frames[i];

		if (f->kind != FRAME_KERNEL || !f->nr_names)
			continue;
		uint32_t module = rec->names[f->names + f->nr_names - 1].module;

		table_put(&seen, module, 0, &is_new);
		char *name = is_new ? bare_name(recording_get(rec, module)) : NULL;

		if (name)
			describe_module(rec, sys, name);
		free(name);
	}
	table_release(&seen);
}

void kernel_build_id(struct strbuf *hex, const char *sys)
{
	char *notes = xasprintf("%s/kernel/notes", sys);

	add_build_id(notes, hex);
	free(notes);
}

void kernel_describe(struct recording *rec, const char *sys)
{
	struct strbuf build_id = STRBUF_INIT;
	struct utsname uts;

	kernel_build_id(&build_id, sys);
	rec->kernel_build_id = recording_string(rec, build_id.buf);
	if (!uname(&uts))
		rec->kernel_release = recording_string(rec, uts.release);
	describe_modules(rec, sys);
	strbuf_release(&build_id);
}
