/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Follows pointer paths in another process. The BPF programs have their own function for that. */
#ifndef RUNTIME_POINTER_PATH_FOLLOW_H
#define RUNTIME_POINTER_PATH_FOLLOW_H

#include "pointer_path.h"
#include "process/target.h"
#include "vm_frame.h"

/*
 * Follows PATH in the thread with the thread pointer THREAD. Returns VM_ON, or how a walk that
 * begins there ends.
 */
enum vm_end pointer_path_follow(const struct pointer_path *path, const struct memory *memory,
	uint64_t thread, uint64_t *value);

#endif
