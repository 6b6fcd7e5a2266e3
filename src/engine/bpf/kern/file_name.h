/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of files, as shared by the BPF programs and user space. */
#ifndef ENGINE_BPF_KERN_FILE_NAME_H
#define ENGINE_BPF_KERN_FILE_NAME_H

#include <stdbool.h>
#include <stdint.h>

enum {
	FILE_BITS = 14,                   /* of a file's number */
	FILES_MAX = (1 << FILE_BITS) - 1, /* names that are kept */
	FILE_PATH = 256,                  /* bytes that are kept of a path, with the final 0 */
};

/* A file, or a part of one, by its number. */
struct file_name {
	struct file_identity {
		/* addresses, or of the file system and 0, or a hash of a given path and 1 */
		uint64_t dentry, mount;
		uint32_t hash; /* of the name, which tells when the address is used again */
		uint32_t pad;
	} id;
	bool is_type; /* the path is the type of the file system, such as pipefs */
	bool is_cut;  /* the beginning of the path is missing */
	char path[FILE_PATH];
};

#endif
