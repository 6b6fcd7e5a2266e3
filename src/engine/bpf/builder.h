/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A process of ours that makes unwind tables while we record. Files of targets may hold anything,
 * so it has no rights beyond reading the file it was handed; what it makes is checked.
 */
#ifndef ENGINE_BPF_BUILDER_H
#define ENGINE_BPF_BUILDER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct builder {
	int socket; /* -1: it did not start, or it died */
	pid_t pid;
	uint32_t asked; /* answers that have not come */
};

void builder_start(struct builder *b);
void builder_stop(struct builder *b);

/*
 * Asks for the table of the file FD under a number of the caller's. 1: not now, there are answers
 * to take first; -1: nobody is there.
 */
int builder_ask(struct builder *b, uint32_t number, int fd);
/*
 * Takes an answer that has come: true, its number, and the file with the table for
 * unwind_table_open, the caller's to close; -1 when there is none. False: no answer has come.
 */
bool builder_take(struct builder *b, uint32_t *number, int *fd);

#endif
