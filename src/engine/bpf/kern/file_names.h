/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers of files, whose names are kept for user space. Their memory is claimed with the scratch.
 */
#ifndef ENGINE_BPF_KERN_FILE_NAMES_H
#define ENGINE_BPF_KERN_FILE_NAMES_H

#include "core.h"
#include "file_name.h"
#include "files.h"

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct qstr {
	unsigned int hash, len;
	const unsigned char *name;
};

struct file_system_type {
	const char *name;
};

struct super_block {
	struct file_system_type *s_type;
};

struct dentry {
	struct dentry *d_parent;
	struct qstr d_name;
	struct super_block *d_sb;
};

struct vfsmount {
	struct dentry *mnt_root;
};

struct mount {
	struct mount *mnt_parent;
	struct dentry *mnt_mountpoint;
	struct vfsmount mnt;
};

#pragma clang attribute pop

enum {
	FILE_PROBES = 8, /* places in which a file may be, from the place of its hash on */
	PATH_DEPTH = 32, /* parts of a path, and mounts on its way */
	PATH_ROOM = 512, /* bytes of a path */
	MOUNT_TEXT = 1,  /* in place of the mount of a path that the program has given */
	NAME_ROOM = 256, /* bytes of a name */
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, FILES_MAX);
	__type(key, uint32_t); /* number of the file, from 1 */
	__type(value, struct file_name);
} file_names SEC(".maps");

/* The memory for naming a file. */
struct path_walk {
	struct dentry *dentry;
	struct vfsmount *mount;
	struct file_name found;
	char text[PATH_ROOM + NAME_ROOM]; /* the path at the end of PATH_ROOM, then zeros */
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct path_walk);
} path_walks SEC(".maps");

static __always_inline struct path_walk *my_path_walk(void)
{
	uint32_t zero = 0;

	return bpf_map_lookup_elem(&path_walks, &zero);
}

static __always_inline struct mount *mount_of(struct vfsmount *mount)
{
	return (void *)((char *)mount - bpf_core_field_offset(struct mount, mnt));
}

/* Moves to the place at which W->mount is mounted. Returns false if that is the root. */
static __always_inline bool leave_mount(struct path_walk *w)
{
	struct mount *mount = mount_of(w->mount), *parent = BPF_CORE_READ(mount, mnt_parent);

	if (!parent || parent == mount)
		return false;
	w->dentry = BPF_CORE_READ(mount, mnt_mountpoint);
	w->mount = (void *)((char *)parent + bpf_core_field_offset(struct mount, mnt));
	return true;
}

/* Adds the name of DENTRY in front of the text, which begins at AT. Returns the new beginning. */
static __always_inline uint32_t add_name(
	struct path_walk *w, const struct dentry *dentry, uint32_t at)
{
	uint32_t len = BPF_CORE_READ(dentry, d_name.len) & (NAME_ROOM - 1);
	const unsigned char *name = BPF_CORE_READ(dentry, d_name.name);

	if (len >= at)
		return 0;
	at = (at - len) & (PATH_ROOM - 1);
	bpf_probe_read_kernel(&w->text[at], len, name);
	return at;
}

/* Makes the path of W->dentry. Returns where it begins in the text, or 0 if it is too long. */
__noinline int build_path(uint32_t lane)
{
	struct path_walk *w = my_path_walk();
	uint32_t at = PATH_ROOM;

	for (int i = 0; w && i < PATH_DEPTH; i++) {
		const struct dentry *dentry = w->dentry;
		struct dentry *parent = BPF_CORE_READ(dentry, d_parent);
		const struct vfsmount *mount = w->mount;

		if (dentry == BPF_CORE_READ(mount, mnt_root)) {
			if (leave_mount(w))
				continue;
			return at;
		}
		at = add_name(w, dentry, at);
		if (!at || parent == dentry)
			return at; /* a file without a place, such as an eventfd */
		at = (at - 1) & (PATH_ROOM - 1);
		w->text[at] = '/';
		w->dentry = parent;
	}
	return w ? at : lane & 0;
}

/* Sets the path of W->found. */
static __always_inline void set_path(struct path_walk *w)
{
	struct super_block *super = (void *)w->found.id.dentry;

	w->found.is_type = !w->found.id.mount;
	w->found.is_cut = false;
	if (w->found.is_type) {
		bpf_probe_read_kernel_str(
			w->found.path, FILE_PATH, BPF_CORE_READ(super, s_type, name));
		return;
	}
	uint32_t at = build_path(LANE_EVENT);

	if (at <= PATH_ROOM - FILE_PATH) {
		at = PATH_ROOM - FILE_PATH + 1;
		w->found.is_cut = true;
	}
	bpf_probe_read_kernel(w->found.path, FILE_PATH, &w->text[at & (PATH_ROOM - 1)]);
}

static __always_inline bool is_same(const struct file_identity *a, const struct file_identity *b)
{
	return a->dentry == b->dentry && a->mount == b->mount && a->hash == b->hash;
}

/* Returns the number of W->found, whose identity is set, or 0 if there is no room for its name. */
__noinline int number_of_file(uint32_t lane)
{
	struct path_walk *w = my_path_walk();

	if (!w)
		return 0;
	bool has_path = w->found.id.mount == MOUNT_TEXT;
	uint64_t hash = (w->found.id.dentry >> 4 ^ w->found.id.mount ^ w->found.id.hash) *
			0x9e3779b97f4a7c15ULL;

	for (uint32_t i = 0; i < FILE_PROBES; i++) {
		uint32_t number = ((hash >> (64 - FILE_BITS)) + i) % FILES_MAX + 1;
		const struct file_name *known = bpf_map_lookup_elem(&file_names, &number);

		if (!known) {
			if (!has_path)
				set_path(w);
			has_path = true;
			if (!bpf_map_update_elem(&file_names, &number, &w->found, BPF_NOEXIST))
				return number;
			known = bpf_map_lookup_elem(&file_names, &number);
		}
		if (known && is_same(&known->id, &w->found.id))
			return number;
	}
	return lane & 0;
}

/*
 * Returns the number of the path at ADDRESS in user memory, which is relative to a folder that is
 * not known, or 0.
 */
__noinline int path_number(uint64_t address)
{
	struct path_walk *w = my_path_walk();
	uint64_t hash = 0, word;

	if (!w)
		return 0;
	__builtin_memset(w->found.path, 0, FILE_PATH);
	if (bpf_probe_read_user_str(w->found.path, FILE_PATH, (const void *)address) <= 0)
		return 0;
	for (uint32_t i = 0; i < FILE_PATH / 8; i++) {
		__builtin_memcpy(&word, w->found.path + 8 * i, 8);
		hash = (hash ^ word) * 0x9e3779b97f4a7c15ULL;
	}
	w->found.is_type = w->found.is_cut = false;
	w->found.id = (struct file_identity){hash, MOUNT_TEXT, hash >> 32, 0};
	return number_of_file(LANE_EVENT);
}

/* Returns the number of FILE, or 0 if there is no room for its name. */
static __noinline int number_of(struct file___kernel *file)
{
	struct path_walk *w = my_path_walk();

	if (!w)
		return 0;
	struct dentry *dentry = BPF_CORE_READ(file, f_path.dentry);

	w->dentry = dentry;
	w->mount = BPF_CORE_READ(file, f_path.mnt);
	w->found.id = (struct file_identity){
		(uint64_t)dentry, (uint64_t)w->mount, BPF_CORE_READ(dentry, d_name.hash), 0};
	/* pipes and sockets have no names */
	if (!BPF_CORE_READ(dentry, d_name.len))
		w->found.id =
			(struct file_identity){(uint64_t)BPF_CORE_READ(dentry, d_sb), 0, 0, 0};
	return number_of_file(LANE_EVENT);
}

/* Returns the number of the file of the descriptor FD, or 0 if it is not known. */
__noinline int file_number(uint64_t fd)
{
	struct file___kernel *file = file_at(fd);

	return file ? number_of(file) : 0;
}

#endif
