/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "linetable.h"
#include "lib/util.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_MAX = 4096 }; /* bytes of a file or directory name; longer ones are invalid */

struct file {
	const char *name; /* in the section */
	uint64_t folder;
	char *path; /* made when first needed */
};

struct linetable {
	struct linetable_source source;
	unsigned int version, min_length, line_range, opcode_base;
	unsigned int address_size, offset_size;
	int line_base;
	const unsigned char *lengths; /* how many arguments the standard opcodes have */
	struct bytes program;
	const char **folders; /* in the section */
	size_t nr_folders, folders_alloc;
	struct file *files;
	size_t nr_files, files_alloc;
};

/* ---- the header ---- */

/* Reads the string at B and moves past it. Returns NULL if it is not terminated or too long. */
static const char *take_text(struct bytes *b)
{
	size_t max = (size_t)(b->end - b->at);
	const unsigned char *end = memchr(b->at, '\0', max), *text = b->at;

	bytes_take(b, end ? (uint64_t)(end - text) + 1 : max + 1);
	return end && end - text <= TEXT_MAX ? (const char *)text : NULL;
}

static const char *text_at(struct bytes section, uint64_t offset)
{
	return bytes_take(&section, offset) ? take_text(&section) : NULL;
}

static void add_folder(struct linetable *lt, const char *name)
{
	ALLOC_GROW(lt->folders, lt->nr_folders, lt->folders_alloc);
	lt->folders[lt->nr_folders++] = name;
}

static void add_file(struct linetable *lt, const char *name, uint64_t folder)
{
	ALLOC_GROW(lt->files, lt->nr_files, lt->files_alloc);
	lt->files[lt->nr_files++] = (struct file){name, folder, NULL};
}

/*
 * Reads the names of a table up to version 4. Both lists end with an empty name. Directory 0 is the
 * compilation directory.
 */
static void read_old_names(struct linetable *lt, struct bytes *b)
{
	const char *name;

	add_folder(lt, lt->source.folder);
	while ((name = take_text(b)) && *name)
		add_folder(lt, name);
	add_file(lt, NULL, 0);
	while ((name = take_text(b)) && *name) {
		add_file(lt, name, bytes_uleb(b));
		bytes_uleb(b); /* time */
		bytes_uleb(b); /* size */
	}
}

struct value {
	const char *text;
	uint64_t number;
};

/* Reads the attribute of FORM at B. */
static struct value read_value(const struct linetable *lt, struct bytes *b, uint64_t form)
{
	switch (form) {
	case DW_FORM_string:
		return (struct value){.text = take_text(b)};
	case DW_FORM_line_strp:
		return (struct value){
			.text = text_at(lt->source.line_str, bytes_number(b, lt->offset_size))};
	case DW_FORM_strp:
		return (struct value){
			.text = text_at(lt->source.str, bytes_number(b, lt->offset_size))};
	case DW_FORM_udata:
		return (struct value){.number = bytes_uleb(b)};
	case DW_FORM_data1:
		return (struct value){.number = bytes_number(b, 1)};
	case DW_FORM_data2:
		return (struct value){.number = bytes_number(b, 2)};
	case DW_FORM_data4:
		return (struct value){.number = bytes_number(b, 4)};
	case DW_FORM_data8:
		return (struct value){.number = bytes_number(b, 8)};
	case DW_FORM_data16:
		bytes_take(b, 16);
		return (struct value){0};
	case DW_FORM_block:
		bytes_take(b, bytes_uleb(b));
		return (struct value){0};
	default:
		b->bad = true; /* of unknown size, so the next one cannot be found */
		return (struct value){0};
	}
}

/* Reads a list of names of version 5. It begins with the description of the entries' format. */
static void read_names(struct linetable *lt, struct bytes *b, bool files)
{
	unsigned int nr_fields = (unsigned int)bytes_number(b, 1);
	struct bytes fields = *b;
	uint64_t nr;

	for (unsigned int i = 0; i < 2 * nr_fields; i++)
		bytes_uleb(b);
	nr = bytes_uleb(b);
	for (uint64_t i = 0; i < nr && b->at < b->end; i++) {
		struct bytes field = fields;
		struct value name = {0}, folder = {0};

		for (unsigned int j = 0; j < nr_fields; j++) {
			uint64_t what = bytes_uleb(&field);
			struct value value = read_value(lt, b, bytes_uleb(&field));

			if (what == DW_LNCT_path)
				name = value;
			else if (what == DW_LNCT_directory_index)
				folder = value;
		}
		if (b->bad || !nr_fields)
			return;
		if (files)
			add_file(lt, name.text, folder.number);
		else
			add_folder(lt, name.text);
	}
}

/* Reads the header. Returns false if it is malformed. */
static bool read_header(struct linetable *lt)
{
	struct bytes b = lt->source.lines;
	const unsigned char *start;
	uint64_t size = bytes_number(&b, 4);

	lt->offset_size = size == 0xffffffff ? 8 : 4;
	if (lt->offset_size == 8)
		size = bytes_number(&b, 8);
	start = bytes_take(&b, size);
	if (!start || (uint64_t)(b.at - lt->source.lines.at) > lt->source.size_max)
		return false;
	b = (struct bytes){.at = start, .end = b.at};
	lt->version = (unsigned int)bytes_number(&b, 2);
	if (lt->version < 2 || lt->version > 5)
		return false;
	/* skip address_size, which DW_LNE_set_address has, too, and segment_selector_size */
	if (lt->version == 5)
		bytes_take(&b, 2);
	size = bytes_number(&b, lt->offset_size);
	lt->program = b;
	bytes_take(&lt->program, size);
	lt->min_length = (unsigned int)bytes_number(&b, 1);
	/* VLIW is not supported */
	if (lt->version >= 4 && bytes_number(&b, 1) > 1)
		return false;
	bytes_take(&b, 1); /* default_is_stmt */
	lt->line_base = (signed char)bytes_number(&b, 1);
	lt->line_range = (unsigned int)bytes_number(&b, 1);
	lt->opcode_base = (unsigned int)bytes_number(&b, 1);
	lt->lengths = lt->opcode_base ? bytes_take(&b, lt->opcode_base - 1) : NULL;
	if (b.bad || lt->program.bad || !lt->line_range || !lt->opcode_base)
		return false;
	if (lt->version == 5) {
		read_names(lt, &b, false);
		read_names(lt, &b, true);
	} else {
		read_old_names(lt, &b);
	}
	return true;
}

struct linetable *linetable_new(const struct linetable_source *source)
{
	struct linetable *lt = xcalloc(1, sizeof(*lt));

	lt->source = *source;
	if (read_header(lt))
		return lt;
	linetable_free(lt);
	return NULL;
}

uint64_t linetable_size(const struct linetable *lt)
{
	return (uint64_t)(lt->program.end - lt->source.lines.at);
}

void linetable_free(struct linetable *lt)
{
	if (!lt)
		return;
	for (size_t i = 0; i < lt->nr_files; i++)
		free(lt->files[i].path);
	free(lt->files);
	free(lt->folders);
	free(lt);
}

/* ---- paths ---- */

/* Returns FOLDER/NAME (FOLDER may be NULL). The caller frees it. */
static char *join(const char *folder, const char *name)
{
	if (*name == '/' || !folder || !*folder)
		return xstrdup(name);
	return xasprintf("%s%s%s", folder, ends_with(folder, "/") ? "" : "/", name);
}

/*
 * Returns the path of FILE. A relative directory is relative to the first directory, which is the
 * compilation directory. If the first one is relative, too, it is relative to the directory in the
 * unit's attribute, provided that the attribute is absolute.
 */
static char *make_path(const struct linetable *lt, const struct file *file)
{
	const char *up[] = {
		file->folder < lt->nr_folders ? lt->folders[file->folder] : NULL,
		file->folder && lt->nr_folders ? lt->folders[0] : NULL,
		lt->source.folder && *lt->source.folder == '/' ? lt->source.folder : NULL,
	};
	char *path = xstrdup(file->name);

	for (size_t i = 0; i < ARRAY_LEN(up); i++) {
		char *longer = join(up[i], path);

		free(path);
		path = longer;
	}
	return path;
}

const char *linetable_file(struct linetable *lt, uint64_t number)
{
	struct file *file = number < lt->nr_files ? &lt->files[number] : NULL;

	if (!file || !file->name || !*file->name)
		return NULL;
	if (!file->path)
		file->path = make_path(lt, file);
	return file->path;
}

/* ---- the program ---- */

struct row {
	uint64_t address, file, line;
	uint64_t discriminator; /* of the next row only */
};

/* The state machine that makes the rows, and the addresses to find. */
struct line_machine {
	struct linetable *lt;
	struct bytes b;
	struct row now, last;
	bool begun;     /* this sequence has a previous row */
	uint64_t start; /* address of the first row of this sequence */
	const uint64_t *addresses;
	size_t n;
	struct linetable_line *results;
	size_t next;  /* index of the first address that is not below end */
	uint64_t end; /* end of the previous row */
};

static void reset(struct line_machine *m)
{
	m->now = (struct row){.file = 1, .line = 1};
	m->begun = false;
}

static size_t first_from(const uint64_t *addresses, size_t n, uint64_t from)
{
	size_t low = 0;

	while (low < n) {
		size_t mid = low + (n - low) / 2;

		if (addresses[mid] < from)
			low = mid + 1;
		else
			n = mid;
	}
	return low;
}

/* Sets the results of the addresses in the previous row, which ends at the current address. */
static void place_last(struct line_machine *m)
{
	uint64_t from = m->last.address, to = m->now.address;

	if (from >= to || m->start < m->lt->source.first_code)
		return;
	if (from != m->end)
		m->next = first_from(m->addresses, m->n, from);
	m->end = to;
	for (; m->next < m->n && m->addresses[m->next] < to; m->next++) {
		struct linetable_line *result = &m->results[m->next];

		if (result->file || result->line)
			continue;
		result->file = linetable_file(m->lt, m->last.file);
		result->line = m->last.line > UINT32_MAX ? 0 : (uint32_t)m->last.line;
		result->discriminator = (uint32_t)m->last.discriminator;
	}
}

static void add_row(struct line_machine *m)
{
	if (m->begun)
		place_last(m);
	else
		m->start = m->now.address;
	m->begun = true;
	m->last = m->now;
	m->now.discriminator = 0;
}

static void run_extended(struct line_machine *m)
{
	uint64_t size = bytes_uleb(&m->b);
	struct bytes b = {.at = m->b.at};

	if (!bytes_take(&m->b, size))
		return;
	b.end = m->b.at;
	switch (bytes_number(&b, 1)) {
	case DW_LNE_end_sequence:
		add_row(m);
		reset(m);
		break;
	case DW_LNE_set_address:
		if (size - 1 <= sizeof(uint64_t))
			m->now.address = bytes_number(&b, (unsigned int)(size - 1));
		break;
	case DW_LNE_set_discriminator:
		m->now.discriminator = bytes_uleb(&b);
		break;
	default:
		break;
	}
}

static void advance(struct line_machine *m, uint64_t operations)
{
	m->now.address += operations * m->lt->min_length;
}

static void run_standard(struct line_machine *m, unsigned int opcode)
{
	const struct linetable *lt = m->lt;

	switch (opcode) {
	case DW_LNS_copy:
		add_row(m);
		break;
	case DW_LNS_advance_pc:
		advance(m, bytes_uleb(&m->b));
		break;
	case DW_LNS_advance_line:
		m->now.line += (uint64_t)bytes_sleb(&m->b);
		break;
	case DW_LNS_set_file:
		m->now.file = bytes_uleb(&m->b);
		break;
	case DW_LNS_const_add_pc:
		advance(m, (255 - lt->opcode_base) / lt->line_range);
		break;
	case DW_LNS_fixed_advance_pc:
		m->now.address += bytes_number(&m->b, 2);
		break;
	default: /* not needed, or unknown */
		for (unsigned int i = lt->lengths[opcode - 1]; i; i--)
			bytes_uleb(&m->b);
	}
}

static void run_special(struct line_machine *m, unsigned int opcode)
{
	const struct linetable *lt = m->lt;

	advance(m, opcode / lt->line_range);
	m->now.line += (uint64_t)(lt->line_base + (int)(opcode % lt->line_range));
	add_row(m);
}

void linetable_find(
	struct linetable *lt, const uint64_t *addresses, size_t n, struct linetable_line *results)
{
	struct line_machine m = {
		.lt = lt,
		.b = lt->program,
		.addresses = addresses,
		.n = n,
		.results = results,
	};

	reset(&m);
	while (m.b.at < m.b.end && !m.b.bad) {
		unsigned int opcode = *m.b.at++;

		if (opcode >= lt->opcode_base)
			run_special(&m, opcode - lt->opcode_base);
		else if (opcode)
			run_standard(&m, opcode);
		else
			run_extended(&m);
	}
}
