/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Judges which call chains are whole, and names what JIT compilers made. */
#ifndef INPUT_PERFDATA_PERFDATA_ENDS_H
#define INPUT_PERFDATA_PERFDATA_ENDS_H

struct perfdata_files;
struct recording;

/*
 * The kernel made these user stacks by frame pointers, and does not tell why they end. The unwind
 * rules of the last frame do. Those stacks are broken and have no cut-by so far.
 */
void perfdata_judge(struct recording *rec, struct perfdata_files *files);

/* Names what JIT compilers made by their perf maps. */
void perfdata_name_memory(struct recording *rec);

#endif
