/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel_types.h"
#include "lib/cache.h"
#include "lib/folder.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "symbol/names/kernel.h"

#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILES = 64, BYTES = 16 << 20, FILE_MAX = 4 << 20 };

#define MAGIC 0x7365707974667466ULL

struct header {
	uint64_t magic, checksum, size; /* hash_bytes() of the types, and their bytes */
};

static struct cache cache_in(const char *folder)
{
	return (struct cache){.folder = folder, .suffix = ".types", .files = FILES, .bytes = BYTES};
}

/* Names are compared as libbpf does: what follows three underscores tells types of one name apart.
 */
static size_t length_of(const char *name)
{
	const char *flavour = *name ? strstr(name + 1, "___") : NULL;

	return flavour ? (size_t)(flavour - name) : strlen(name);
}

struct name {
	const char *text;
	size_t length;
};

static int compare_names(const void *va, const void *vb)
{
	const struct name *a = va, *b = vb;
	size_t shorter = a->length < b->length ? a->length : b->length;
	int order = memcmp(a->text, b->text, shorter);

	return order ? order : (a->length > b->length) - (a->length < b->length);
}

static struct name name_of(const struct btf *btf, const struct btf_type *type)
{
	const char *text = btf__name_by_offset(btf, type->name_off);

	text = text ? text : "";
	return (struct name){text, length_of(text)};
}

/* Returns whether programs may ask for such a type by its name. */
static bool has_name(const struct btf_type *type)
{
	return type->name_off && (btf_is_composite(type) || btf_is_any_enum(type) ||
					 btf_is_typedef(type) || btf_is_fwd(type));
}

/* Returns the sorted names of the types in PROGRAMS. The caller frees them; the texts belong to
 * PROGRAMS. */
static struct name *names_in(const struct btf *programs, size_t *nr)
{
	uint32_t end = btf__type_cnt(programs);
	struct name *names = xcalloc(end, sizeof(*names));

	*nr = 0;
	for (uint32_t id = 1; id < end; id++) {
		const struct btf_type *type = btf__type_by_id(programs, id);

		if (has_name(type))
			names[(*nr)++] = name_of(programs, type);
	}
	qsort(names, *nr, sizeof(*names), compare_names);
	return names;
}

struct types_copy {
	const struct btf *from;
	struct btf *to;
	uint32_t *copied; /* by the ID in FROM: the ID in TO, or 0 */
	uint32_t pointer; /* the ID in TO of the pointer to nothing, or 0 */
	bool failed;
};

static uint32_t copy_pointer(struct types_copy *c)
{
	int id = c->pointer ? 0 : btf__add_ptr(c->to, 0);

	c->failed |= id < 0;
	if (id > 0)
		c->pointer = (uint32_t)id;
	return c->pointer;
}

static uint32_t copy(struct types_copy *c, uint32_t id);

/* Copies the types that TYPE consists of. */
static void copy_parts(struct types_copy *c, const struct btf_type *type)
{
	if (btf_is_mod(type) || btf_is_typedef(type) || btf_is_type_tag(type))
		copy(c, type->type);
	else if (btf_is_array(type)) {
		copy(c, btf_array(type)->type);
		copy(c, btf_array(type)->index_type);
	} else if (btf_is_composite(type)) {
		for (uint32_t i = 0; i < btf_vlen(type); i++)
			copy(c, btf_members(type)[i].type);
	}
}

/* Replaces the IDs in TYPE, which is a copy, by the ones of the copies. */
static void renumber(struct types_copy *c, struct btf_type *type)
{
	if (btf_is_mod(type) || btf_is_typedef(type) || btf_is_type_tag(type))
		type->type = copy(c, type->type);
	else if (btf_is_array(type)) {
		btf_array(type)->type = copy(c, btf_array(type)->type);
		btf_array(type)->index_type = copy(c, btf_array(type)->index_type);
	} else if (btf_is_composite(type)) {
		for (uint32_t i = 0; i < btf_vlen(type); i++)
			btf_members(type)[i].type = copy(c, btf_members(type)[i].type);
	}
}

/*
 * Returns the ID of the copy of type ID, after the types that it consists of, so that numbering
 * them copies none. A type cannot contain itself but by a pointer.
 */
static uint32_t copy(struct types_copy *c, uint32_t id)
{
	const struct btf_type *type = id ? btf__type_by_id(c->from, id) : NULL;

	if (!type || c->failed)
		return 0;
	if (btf_is_ptr(type))
		return copy_pointer(c);
	if (c->copied[id])
		return c->copied[id];
	copy_parts(c, type);
	int added = c->failed ? -1 : btf__add_type(c->to, c->from, type);

	c->failed |= added < 0;
	if (c->failed)
		return 0;
	renumber(c, (struct btf_type *)btf__type_by_id(c->to, (uint32_t)added));
	return c->copied[id] = (uint32_t)added;
}

struct btf *kernel_types_copy(const struct btf *kernel, const struct btf *programs)
{
	uint32_t end = btf__type_cnt(kernel);
	struct types_copy c = {
		.from = kernel,
		.to = btf__new_empty(),
		.copied = xcalloc(end, sizeof(*c.copied)),
	};
	size_t nr;
	struct name *names = names_in(programs, &nr);

	c.failed = !c.to;
	for (uint32_t id = 1; id < end && !c.failed; id++) {
		const struct btf_type *type = btf__type_by_id(kernel, id);
		struct name name = name_of(kernel, type);

		if (has_name(type) && bsearch(&name, names, nr, sizeof(*names), compare_names))
			copy(&c, id);
	}
	free(names);
	free(c.copied);
	if (c.failed) {
		btf__free(c.to);
		return NULL;
	}
	return c.to;
}

/* Returns a file in memory with the types in the cached file FD, or -1 if that is damaged. */
static int types_in(int fd)
{
	struct stat st;
	struct header h;
	int types = -1;

	if (fstat(fd, &st) || st.st_size < (off_t)sizeof(h) || st.st_size > FILE_MAX)
		return -1;
	size_t size = (size_t)st.st_size - sizeof(h);
	char *bytes = xmalloc(size + 1);

	if (pread(fd, &h, sizeof(h), 0) == (ssize_t)sizeof(h) && h.magic == MAGIC &&
		h.size == size && pread(fd, bytes, size, sizeof(h)) == (ssize_t)size &&
		hash_bytes(bytes, size) == h.checksum)
		types = memfd_create("types", MFD_CLOEXEC);
	if (types >= 0 && write_whole(types, bytes, size)) {
		close(types);
		types = -1;
	}
	free(bytes);
	return types;
}

void kernel_types_open(struct kernel_types *types, const void *bytes, size_t size)
{
	struct strbuf id = STRBUF_INIT;
	char *folder = folder_cache();
	struct cache cache = cache_in(folder);

	*types = (struct kernel_types){.fd = -1};
	kernel_build_id(&id, "/sys");
	if (id.len) {
		strbuf_addf(&id, "%016llx", (unsigned long long)hash_bytes(bytes, size));
		types->id = xstrdup(id.buf);
		int cached = cache_open(&cache, types->id);

		types->fd = cached < 0 ? -1 : types_in(cached);
		if (cached >= 0)
			close(cached);
	}
	if (types->fd >= 0)
		types->path = xasprintf("/proc/self/fd/%d", types->fd);
	strbuf_release(&id);
	free(folder);
}

static void keep(const char *id, const struct btf *types)
{
	uint32_t size;
	const void *bytes = btf__raw_data(types, &size);
	char *folder = folder_cache(), *temporary;
	struct cache cache = cache_in(folder);
	int fd = bytes ? cache_begin(&cache, id, &temporary) : -1;

	if (fd >= 0) {
		const struct header h = {MAGIC, hash_bytes(bytes, size), size};

		if (write_whole(fd, &h, sizeof(h)) || write_whole(fd, bytes, size))
			cache_drop(fd, temporary);
		else
			cache_commit(&cache, fd, temporary);
	}
	free(folder);
}

void kernel_types_keep(const struct kernel_types *types, const struct bpf_object *object)
{
	const struct btf *programs = bpf_object__btf(object);

	if (!types->id || types->path || !programs)
		return;
	struct btf *kernel = btf__load_vmlinux_btf();
	struct btf *copied = kernel ? kernel_types_copy(kernel, programs) : NULL;

	if (copied)
		keep(types->id, copied);
	btf__free(copied);
	btf__free(kernel);
}

void kernel_types_release(struct kernel_types *types)
{
	if (types->fd >= 0)
		close(types->fd);
	free(types->id);
	free(types->path);
	*types = (struct kernel_types){.fd = -1};
}
