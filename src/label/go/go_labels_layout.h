/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where Go has the labels of a goroutine (runtime/pprof), and a set of them. Also included by the
 * BPF programs. Sources: runtime/runtime2.go, runtime/pprof/label.go, runtime/map.go (until 1.23).
 */
#ifndef LABEL_GO_GO_LABELS_LAYOUT_H
#define LABEL_GO_GO_LABELS_LAYOUT_H

#include "runtime/pointer_path.h"

#include <stdint.h>

struct go_labels_layout {
	struct pointer_path goroutine; /* to the goroutine of the thread */
	uint64_t labels;               /* offset there of the pointer to the labels */
	uint32_t is_map;               /* until 1.23 they are a map, and then a sorted slice */
	uint32_t pad;
};

/* The header of a slice or a string. */
struct go_text {
	uint64_t at, len;
};

enum { GO_PAIR = 2 * sizeof(struct go_text) }; /* a label in a slice */

/* A map of strings. A bucket has a byte for each slot, all names, all values, and a pointer. */
enum {
	GO_MAP_BITS = 9, /* offset of log2 of the number of buckets */
	GO_MAP_BUCKETS = 16,
	GO_SLOTS = 8,
	GO_SLOT_USED = 5, /* empty slots have lower bytes */
	GO_BUCKET_NAMES = GO_SLOTS,
	GO_BUCKET_VALUES = GO_BUCKET_NAMES + GO_SLOTS * sizeof(struct go_text),
	GO_BUCKET = GO_BUCKET_VALUES + GO_SLOTS * sizeof(struct go_text) + 8,
	GO_BUCKETS_MAX = 2,
};

enum go_labels_key {
	GO_LABELS_INSTANCE,
	GO_LABELS_ALL, /* their names come from the process */
	GO_LABELS_KEYS,
};

enum { GO_LABELS_NONE = 1, GO_LABELS_MAX = 8, GO_NAME_MAX = 32, GO_VALUE_MAX = 64 };

struct go_labels_texts {
	/* Longer texts are cut. They end with a NUL, and only NULs follow. */
	struct go_label {
		char name[GO_NAME_MAX], value[GO_VALUE_MAX];
	} list[GO_LABELS_MAX];
};

/* The identity of a set is its content, as its memory is used for the next one. */
struct go_labels_identity {
	uint64_t hash;
};

#endif
