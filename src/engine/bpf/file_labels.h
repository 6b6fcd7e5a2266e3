/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Labels of the files that BPF programs have given numbers, see kern/file_names.h. */
#ifndef ENGINE_BPF_FILE_LABELS_H
#define ENGINE_BPF_FILE_LABELS_H

#include "engine/samples.h"

/*
 * Returns SET with the label KEY, the path of the file NUMBER in the map NAMES, or SET if it is not
 * known. A path of which only the end is known begins with "..."; a file without a path has the
 * type of its file system in brackets.
 */
uint32_t file_labels_add(
	struct samples *s, uint32_t set, const char *key, int names, uint32_t number);

#endif
