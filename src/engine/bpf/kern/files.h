/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The files that the descriptors of the current task stand for. */
#ifndef ENGINE_BPF_KERN_FILES_H
#define ENGINE_BPF_KERN_FILES_H

#include "tasks.h"

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct path___kernel {
	struct vfsmount *mnt;
	struct dentry *dentry;
};

struct inode {
	unsigned short i_mode;
};

struct file___kernel {
	struct path___kernel f_path;
	struct inode *f_inode;
	void *private_data; /* of a socket: its struct socket */
};

struct fdtable {
	unsigned int max_fds;
	struct file___kernel **fd;
};

struct files_struct {
	struct fdtable *fdt;
};

struct task_struct___files {
	struct files_struct *files;
};

#pragma clang attribute pop

/* Returns the file of the descriptor FD of the current task, or NULL. */
static __always_inline struct file___kernel *file_at(uint64_t fd)
{
	struct task_struct___files *task = (void *)current_task();
	struct fdtable *table = BPF_CORE_READ(task, files, fdt);
	struct file___kernel *file = NULL;

	if ((uint32_t)fd < BPF_CORE_READ(table, max_fds))
		bpf_probe_read_kernel(&file, sizeof(file), BPF_CORE_READ(table, fd) + (uint32_t)fd);
	return file;
}

#endif
