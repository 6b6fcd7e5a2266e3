/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hotspot_find.h"
#include "lib/util.h"

#include <string.h>

const char *const hotspot_symbols[HOTSPOT_SYMBOLS] = {
	[HOTSPOT_FIELDS] = "gHotSpotVMStructs",
	[HOTSPOT_FIELD_STRIDE] = "gHotSpotVMStructEntryArrayStride",
	[HOTSPOT_FIELD_OWNER] = "gHotSpotVMStructEntryTypeNameOffset",
	[HOTSPOT_FIELD_NAME] = "gHotSpotVMStructEntryFieldNameOffset",
	[HOTSPOT_FIELD_TYPE] = "gHotSpotVMStructEntryTypeStringOffset",
	[HOTSPOT_FIELD_OFFSET] = "gHotSpotVMStructEntryOffsetOffset",
	[HOTSPOT_FIELD_ADDRESS] = "gHotSpotVMStructEntryAddressOffset",
	[HOTSPOT_TYPES] = "gHotSpotVMTypes",
	[HOTSPOT_TYPE_STRIDE] = "gHotSpotVMTypeEntryArrayStride",
	[HOTSPOT_TYPE_NAME] = "gHotSpotVMTypeEntryTypeNameOffset",
	[HOTSPOT_TYPE_SIZE] = "gHotSpotVMTypeEntrySizeOffset",
};

enum {
	ENTRIES_MAX = 4096, /* entries in a table; there are about 800 */
	ENTRY_MAX = 128,    /* bytes */
	NAME_MAX_ = 64,     /* bytes of a name that are compared */
	OFFSET_MAX = 4096,  /* in a structure */
	BLOB_MAX = 240,     /* bytes of a block that contain the fields */
	CODELETS_MAX = 2048,
	OPTIONS_MAX = 4096, /* options; there are about 1,500 */
	CODELET_MAX = 1024, /* bytes of code that are searched */
	SHIFT_MIN = 4,
	SHIFT_MAX = 12,
};

static const uint64_t address_max = 1ULL << 47, heap_max = 1ULL << 32, interpreter_max = 16 << 20;

enum field {
	CACHE_HEAPS,
	CACHE_HEAP, /* the only heap, before JDK 9 */
	ARRAY_LEN,
	ARRAY_DATA,
	HEAP_MEMORY,
	HEAP_SEGMAP,
	HEAP_SHIFT,
	SPACE_LOW,
	SPACE_END,
	BLOCK_USED,
	BLOB_SIZE,
	BLOB_FRAME_SIZE,
	BLOB_FRAME_COMPLETE,
	BLOB_CODE,
	BLOB_CODE_OFFSET,
	INTERPRETER_CODE,
	QUEUE_BUFFER,
	QUEUE_LIMIT,
	CALL_STUB,
	CODELET_NAME, /* a codelet is a part of the interpreter */
	CODELET_SIZE,
	OPTIONS, /* the JVM's options */
	OPTIONS_NR,
	OPTION_NAME,
	OPTION_VALUE, /* address of the value */
	FIELDS,
};

static const struct {
	const char *owner, *name;
	enum field field;
	bool is_static;
} names[] = {
	{"CodeCache", "_heaps", CACHE_HEAPS, true},
	{"CodeCache", "_heap", CACHE_HEAP, true},
	{"GrowableArrayBase", "_len", ARRAY_LEN, false},
	{"GenericGrowableArray", "_len", ARRAY_LEN, false}, /* before JDK 16 */
	{"GrowableArray<int>", "_data", ARRAY_DATA, false},
	{"CodeHeap", "_memory", HEAP_MEMORY, false},
	{"CodeHeap", "_segmap", HEAP_SEGMAP, false},
	{"CodeHeap", "_log2_segment_size", HEAP_SHIFT, false},
	{"VirtualSpace", "_low", SPACE_LOW, false},
	{"VirtualSpace", "_high_boundary", SPACE_END, false},
	{"HeapBlock::Header", "_used", BLOCK_USED, false},
	{"CodeBlob", "_size", BLOB_SIZE, false},
	{"CodeBlob", "_frame_size", BLOB_FRAME_SIZE, false},
	{"CodeBlob", "_frame_complete_offset", BLOB_FRAME_COMPLETE, false},
	{"CodeBlob", "_code_begin", BLOB_CODE, false}, /* JDK 9 to 22 */
	{"CodeBlob", "_code_offset", BLOB_CODE_OFFSET, false},
	{"AbstractInterpreter", "_code", INTERPRETER_CODE, true},
	{"StubQueue", "_stub_buffer", QUEUE_BUFFER, false},
	{"StubQueue", "_buffer_limit", QUEUE_LIMIT, false},
	{"InterpreterCodelet", "_description", CODELET_NAME, false},
	{"InterpreterCodelet", "_size", CODELET_SIZE, false},
	{"StubRoutines", "_call_stub_return_address", CALL_STUB, true},
	{"Flag", "flags", OPTIONS, true}, /* before JDK 11 */
	{"Flag", "numFlags", OPTIONS_NR, true},
	{"Flag", "_name", OPTION_NAME, false},
	{"Flag", "_addr", OPTION_VALUE, false},
	{"JVMFlag", "flags", OPTIONS, true},
	{"JVMFlag", "numFlags", OPTIONS_NR, true},
	{"JVMFlag", "_name", OPTION_NAME, false},
	{"JVMFlag", "_addr", OPTION_VALUE, false},
};

struct hotspot_search {
	const struct hotspot_memory *memory;
	uint64_t symbol[HOTSPOT_SYMBOLS]; /* values of these variables */
	uint64_t value[FIELDS];           /* offset, or the address of a static field */
	bool has[FIELDS];
	bool is_short;                     /* the field frame_complete */
	uint64_t header_size, option_size; /* bytes */
	uint64_t last;                     /* address of the last name, and the name */
	char name[NAME_MAX_];
};

static bool read_memory(const struct hotspot_search *s, uint64_t at, void *to, size_t size)
{
	return at && at < address_max && s->memory->read(s->memory->context, at, to, size);
}

static bool read_word(const struct hotspot_search *s, uint64_t at, uint64_t *value)
{
	return read_memory(s, at, value, sizeof(*value));
}

static bool read_int(const struct hotspot_search *s, uint64_t at, int32_t *value)
{
	return read_memory(s, at, value, sizeof(*value));
}

/*
 * Reads the string at AT. It is cut to NAME_MAX_ bytes, and before memory that cannot be read; it
 * is "" if nothing can be read.
 */
static void read_name(const struct hotspot_search *s, uint64_t at, char name[NAME_MAX_])
{
	size_t n = 0;

	while (n < NAME_MAX_ - 1) {
		size_t part = 16 - (at + n) % 16;

		if (part > NAME_MAX_ - 1 - n)
			part = NAME_MAX_ - 1 - n;
		if (!read_memory(s, at + n, name + n, part))
			break;
		if (memchr(name + n, 0, part))
			return;
		n += part;
	}
	name[n] = '\0';
}

/* An entry often has the same type name as the previous entry. */
static const char *read_owner(struct hotspot_search *s, uint64_t at)
{
	if (at != s->last)
		read_name(s, at, s->name);
	s->last = at;
	return s->name;
}

/* Checks the strides of the tables and the offsets in their entries. */
static bool has_good_offsets(const struct hotspot_search *s)
{
	for (size_t i = 0; i < HOTSPOT_SYMBOLS; i++)
		if (i != HOTSPOT_FIELDS && i != HOTSPOT_TYPES &&
			s->symbol[i] > ENTRY_MAX - sizeof(uint64_t))
			return false;
	return true;
}

/*
 * Reads entry I of the table at symbol TABLE; the next symbol is its stride. Returns false at the
 * end.
 */
static bool read_entry(const struct hotspot_search *s, enum hotspot_symbol table, uint32_t i,
	unsigned char entry[ENTRY_MAX])
{
	uint64_t stride = s->symbol[table + 1];

	return i < ENTRIES_MAX && stride >= sizeof(uint64_t) && stride <= ENTRY_MAX &&
	       read_memory(s, s->symbol[table] + i * stride, entry, stride);
}

static uint64_t entry_word(const struct hotspot_search *s, const unsigned char entry[ENTRY_MAX],
	enum hotspot_symbol offset)
{
	uint64_t value;

	memcpy(&value, entry + s->symbol[offset], sizeof(value));
	return value;
}

/* Checks the type of the field frame_complete, which has 16 bits in newer versions. */
static bool note_width(struct hotspot_search *s, uint64_t type_at)
{
	char type[NAME_MAX_];

	read_name(s, type_at, type);
	s->is_short = !strcmp(type, "int16_t");
	return s->is_short || !strcmp(type, "int");
}

static void take_field(struct hotspot_search *s, const unsigned char entry[ENTRY_MAX])
{
	char name[NAME_MAX_] = "";
	const char *owner = read_owner(s, entry_word(s, entry, HOTSPOT_FIELD_OWNER));

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		enum field field = names[i].field;

		if (strcmp(owner, names[i].owner))
			continue;
		if (!*name)
			read_name(s, entry_word(s, entry, HOTSPOT_FIELD_NAME), name);
		if (strcmp(name, names[i].name))
			continue;
		if (field == BLOB_FRAME_COMPLETE &&
			!note_width(s, entry_word(s, entry, HOTSPOT_FIELD_TYPE)))
			return;
		s->value[field] = entry_word(s, entry,
			names[i].is_static ? HOTSPOT_FIELD_ADDRESS : HOTSPOT_FIELD_OFFSET);
		s->has[field] = names[i].is_static || s->value[field] < OFFSET_MAX;
		return;
	}
}

static void read_fields(struct hotspot_search *s)
{
	unsigned char entry[ENTRY_MAX] = {0};

	for (uint32_t i = 0; read_entry(s, HOTSPOT_FIELDS, i, entry); i++) {
		if (!entry_word(s, entry, HOTSPOT_FIELD_OWNER))
			break;
		take_field(s, entry);
	}
}

static void read_types(struct hotspot_search *s)
{
	unsigned char entry[ENTRY_MAX] = {0};

	for (uint32_t i = 0; read_entry(s, HOTSPOT_TYPES, i, entry); i++) {
		uint64_t name = entry_word(s, entry, HOTSPOT_TYPE_NAME);

		if (!name)
			break;
		const char *type = read_owner(s, name);

		if (!strcmp(type, "HeapBlock"))
			s->header_size = entry_word(s, entry, HOTSPOT_TYPE_SIZE);
		else if (!strcmp(type, "JVMFlag") || !strcmp(type, "Flag"))
			s->option_size = entry_word(s, entry, HOTSPOT_TYPE_SIZE);
	}
}

static bool has_all(const struct hotspot_search *s)
{
	static const enum field needed[] = {HEAP_MEMORY, HEAP_SEGMAP, HEAP_SHIFT, SPACE_LOW,
		SPACE_END, BLOCK_USED, BLOB_SIZE, BLOB_FRAME_SIZE, BLOB_FRAME_COMPLETE,
		INTERPRETER_CODE, QUEUE_BUFFER, QUEUE_LIMIT, CODELET_NAME, CODELET_SIZE, CALL_STUB};

	for (size_t i = 0; i < ARRAY_LEN(needed); i++)
		if (!s->has[needed[i]])
			return false;
	return (s->has[CACHE_HEAP] ||
		       (s->has[CACHE_HEAPS] && s->has[ARRAY_LEN] && s->has[ARRAY_DATA])) &&
	       (s->has[BLOB_CODE] || s->has[BLOB_CODE_OFFSET]);
}

/*
 * Sets *TO to the offset of a blob's FIELD, of SIZE bytes, in a block. Returns false if it is out
 * of range.
 */
static bool set_offset(const struct hotspot_search *s, enum field field, uint64_t size, uint8_t *to)
{
	uint64_t at = s->header_size + s->value[field];

	*to = (uint8_t)at;
	return at % size == 0 && at + size <= BLOB_MAX;
}

static bool set_offsets(const struct hotspot_search *s, struct hotspot_layout *l)
{
	bool is_offset = !s->has[BLOB_CODE];

	if (!s->header_size || s->header_size > BLOB_MAX / 4 ||
		s->value[BLOCK_USED] >= s->header_size)
		return false;
	l->blob = (uint8_t)s->header_size;
	l->used = (uint8_t)s->value[BLOCK_USED];
	l->is_short = s->is_short;
	l->is_offset = is_offset;
	return set_offset(s, BLOB_SIZE, 4, &l->size) &&
	       set_offset(s, BLOB_FRAME_SIZE, 4, &l->frame_size) &&
	       set_offset(s, BLOB_FRAME_COMPLETE, s->is_short ? 2 : 4, &l->frame_complete) &&
	       set_offset(s, is_offset ? BLOB_CODE_OFFSET : BLOB_CODE, is_offset ? 4 : 8, &l->code);
}

/* Reads the CodeHeap at AT. */
static enum hotspot_end set_heap(const struct hotspot_search *s, uint64_t at,
	struct hotspot_layout *l, struct hotspot_heap *heap)
{
	uint64_t memory = at + s->value[HEAP_MEMORY];
	int32_t shift;

	if (!read_word(s, memory + s->value[SPACE_LOW], &heap->begin) ||
		!read_word(s, memory + s->value[SPACE_END], &heap->end) ||
		!read_word(s, at + s->value[HEAP_SEGMAP] + s->value[SPACE_LOW], &heap->segments) ||
		!read_int(s, at + s->value[HEAP_SHIFT], &shift))
		return HOTSPOT_UNKNOWN;
	if (!heap->begin || !heap->segments)
		return HOTSPOT_YOUNG;
	if (shift < SHIFT_MIN || shift > SHIFT_MAX || (l->shift && l->shift != (uint32_t)shift) ||
		heap->end <= heap->begin || heap->end - heap->begin > heap_max ||
		heap->end > address_max || heap->segments > address_max)
		return HOTSPOT_UNKNOWN;
	l->shift = (uint32_t)shift;
	return HOTSPOT_FOUND;
}

static enum hotspot_end set_heaps(const struct hotspot_search *s, struct hotspot_layout *l)
{
	enum field root = s->has[CACHE_HEAPS] ? CACHE_HEAPS : CACHE_HEAP;
	uint64_t first, data, heap;
	int32_t nr;

	if (!read_word(s, s->value[root], &first))
		return HOTSPOT_UNKNOWN;
	if (!first)
		return HOTSPOT_YOUNG;
	if (root == CACHE_HEAP)
		return set_heap(s, first, l, &l->heap[0]);
	if (!read_int(s, first + s->value[ARRAY_LEN], &nr) ||
		!read_word(s, first + s->value[ARRAY_DATA], &data) || nr > HOTSPOT_HEAPS)
		return HOTSPOT_UNKNOWN;
	if (nr <= 0)
		return HOTSPOT_YOUNG;
	for (int32_t i = 0; i < nr; i++) {
		enum hotspot_end end = read_word(s, data + 8 * (uint64_t)i, &heap)
					       ? set_heap(s, heap, l, &l->heap[i])
					       : HOTSPOT_UNKNOWN;

		if (end != HOTSPOT_FOUND)
			return end;
	}
	return HOTSPOT_FOUND;
}

/*
 * Returns the offset of the SIZE bytes CODE in the first NR of BYTES, or NR if they are not there.
 */
static size_t find_code(const unsigned char *bytes, size_t nr, const char *code, size_t size)
{
	const unsigned char *at = memmem(bytes, nr, code, size);

	return at ? (size_t)(at - bytes) : nr;
}

/* Adds the codelet of SIZE bytes at AT if it makes frames. */
static void take_codelet(
	const struct hotspot_search *s, struct hotspot_layout *l, uint64_t at, uint32_t size)
{
	unsigned char code[CODELET_MAX];
	char name[NAME_MAX_];
	uint64_t name_at;
	size_t nr = size < sizeof(code) ? size : sizeof(code), pop, push;

	if (!read_word(s, at + s->value[CODELET_NAME], &name_at))
		return;
	read_name(s, name_at, name);
	if (!strstr(name, "method entry point") || !read_memory(s, at, code, nr))
		return;
	/* pop %rax; lea -8(%rsp,%rcx,8),%r14 … push %rax; push %rbp; mov %rsp,%rbp; push %r13 */
	pop = find_code(code, nr, "\x58\x4c\x8d\x74\xcc\xf8", 6);
	push = find_code(code, nr, "\x50\x55\x48\x8b\xec\x41\x55", 7);
	for (int i = 0; i < HOTSPOT_ENTRIES && pop < push && push < nr; i++) {
		uint32_t begin = (uint32_t)(at - l->interpreter);

		if (l->entry[i].push)
			continue;
		l->entry[i] = (struct hotspot_entry){
			begin, begin + (uint32_t)pop, begin + (uint32_t)push + 1};
		return;
	}
}

static void take_codelets(const struct hotspot_search *s, struct hotspot_layout *l)
{
	uint64_t at = l->interpreter;
	int32_t size;

	for (int i = 0; i < CODELETS_MAX && at < l->interpreter_end; i++, at += (uint64_t)size) {
		if (!read_int(s, at + s->value[CODELET_SIZE], &size) || size <= 0)
			return;
		take_codelet(s, l, at, (uint32_t)size);
	}
}

/* The JVM makes the interpreter after the heaps and the call stub. */
static enum hotspot_end set_interpreter(const struct hotspot_search *s, struct hotspot_layout *l)
{
	uint64_t queue;
	int32_t size;

	if (!read_word(s, s->value[INTERPRETER_CODE], &queue) ||
		!read_word(s, s->value[CALL_STUB], &l->call_stub))
		return HOTSPOT_UNKNOWN;
	if (!queue || !l->call_stub)
		return HOTSPOT_YOUNG;
	if (!read_word(s, queue + s->value[QUEUE_BUFFER], &l->interpreter) ||
		!read_int(s, queue + s->value[QUEUE_LIMIT], &size))
		return HOTSPOT_UNKNOWN;
	if (!l->interpreter || !size)
		return HOTSPOT_YOUNG;
	if (l->interpreter > address_max || size < 0 || (uint64_t)size > interpreter_max)
		return HOTSPOT_UNKNOWN;
	l->interpreter_end = l->interpreter + (uint64_t)size;
	take_codelets(s, l);
	return HOTSPOT_FOUND;
}

static enum hotspot_end read_tables(
	struct hotspot_search *s, const uint64_t symbol[HOTSPOT_SYMBOLS])
{
	for (size_t i = 0; i < HOTSPOT_SYMBOLS; i++)
		if (!read_word(s, symbol[i], &s->symbol[i]))
			return HOTSPOT_UNKNOWN;
	if (!s->symbol[HOTSPOT_FIELD_STRIDE] || !s->symbol[HOTSPOT_TYPE_STRIDE])
		return HOTSPOT_YOUNG; /* set by a constructor of libjvm.so */
	if (!has_good_offsets(s))
		return HOTSPOT_UNKNOWN;
	read_fields(s);
	read_types(s);
	return HOTSPOT_FOUND;
}

enum hotspot_end hotspot_find(const struct hotspot_memory *memory,
	const uint64_t symbol[HOTSPOT_SYMBOLS], struct hotspot_layout *layout)
{
	struct hotspot_search s = {.memory = memory};
	enum hotspot_end end = read_tables(&s, symbol);

	*layout = (struct hotspot_layout){0};
	if (end != HOTSPOT_FOUND)
		return end;
	if (!has_all(&s) || !set_offsets(&s, layout))
		return HOTSPOT_UNKNOWN;
	end = set_heaps(&s, layout);
	return end == HOTSPOT_FOUND ? set_interpreter(&s, layout) : end;
}

/* ---- options ---- */

static bool has_options(const struct hotspot_search *s)
{
	return s->has[OPTIONS] && s->has[OPTIONS_NR] && s->has[OPTION_NAME] &&
	       s->has[OPTION_VALUE] && s->option_size && s->option_size < OFFSET_MAX;
}

/* Returns true if the option at AT is called NAME. */
static bool is_called(const struct hotspot_search *s, uint64_t at, const char *name)
{
	char found[NAME_MAX_];
	uint64_t name_at;

	if (!read_word(s, at + s->value[OPTION_NAME], &name_at) || !name_at)
		return false;
	read_name(s, name_at, found);
	return !strcmp(found, name);
}

bool hotspot_option(const struct hotspot_memory *memory, const uint64_t symbol[HOTSPOT_SYMBOLS],
	const char *name, bool *value)
{
	struct hotspot_search s = {.memory = memory};
	uint64_t at, nr, value_at;
	unsigned char byte;

	if (read_tables(&s, symbol) != HOTSPOT_FOUND || !has_options(&s) ||
		!read_word(&s, s.value[OPTIONS], &at) || !read_word(&s, s.value[OPTIONS_NR], &nr))
		return false;
	for (uint64_t i = 0; i < nr && i < OPTIONS_MAX; i++, at += s.option_size) {
		if (!is_called(&s, at, name))
			continue;
		if (!read_word(&s, at + s.value[OPTION_VALUE], &value_at) ||
			!read_memory(&s, value_at, &byte, 1))
			return false;
		*value = byte;
		return true;
	}
	return false;
}
