/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The layout of an interpreter in a process, and the texts of a frame, by kind of VM. Also included
 * by the BPF programs.
 */
#ifndef RUNTIME_VM_LAYOUT_H
#define RUNTIME_VM_LAYOUT_H

#include "vm_frame.h"

#define VM_LIST_LAYOUTS
#include "vm_list.h"
#undef VM_LIST_LAYOUTS

enum { VM_GENERATIONS = 1 << 11 }; /* then they begin again */

struct vm_layout {
	uint16_t kind; /* enum vm_kind */
	/* tells the programs apart that a process executes one after another */
	uint16_t generation;
	const char *path; /* of the file that has the interpreter, as in struct target_file */
	union {
#define VM_LAYOUT(KIND, name) struct name##_layout name;
		VM_LIST(VM_LAYOUT)
#undef VM_LAYOUT
	};
};

/* The texts of which a frame's name and location consist, as read from the process. */
union vm_texts {
#define VM_TEXTS(KIND, name) struct name##_texts name;
	VM_LIST(VM_TEXTS)
#undef VM_TEXTS
};

/* A frame with its texts, as the BPF programs send it once. */
struct vm_new_frame {
	struct vm_key {
		uint32_t tgid;
		uint16_t kind, generation; /* as in struct vm_layout */
		struct vm_words words;
	} key;
	uint64_t what; /* as in struct vm_frame */
	union vm_texts texts;
};

/* A new frame in the ring buffer. */
struct ring_vm_frame {
	uint32_t type; /* RING_VM_FRAME */
	uint32_t pad;
	struct vm_new_frame frame;
};

/* The state of a walk. Each begins with a struct vm_walk. */
union vm_walks {
	struct vm_walk walk;
#define VM_WALK(KIND, name) struct name##_walk name;
	VM_LIST(VM_WALK)
#undef VM_WALK
};

/* A walk in the BPF programs, which have one in their scratch, and its frames so far. */
struct vm_run {
	union vm_walks walks;
	struct vm_layout layout;
	uint32_t nr; /* frames so far */
	int end;     /* enum vm_end */
	struct ring_vm_frame record;
	uint64_t with[VM_DEPTH]; /* of each frame; the words of the frames are in the scratch */
};

#endif
