/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The call frame information of a section: .eh_frame or .debug_frame (DWARF 5 6.4.1). */
#ifndef UNWIND_CFI_H
#define UNWIND_CFI_H

#include <gelf.h>
#include <stdbool.h>

struct elffile;
struct unwind_range;
struct unwind_ranges;
struct unwind_rows;

struct cfi;

/* Valid as long as ELF. Returns NULL if the file has no such section. */
struct cfi *cfi_eh_frame(const struct elffile *elf);
struct cfi *cfi_debug_frame(const struct elffile *elf);
void cfi_free(struct cfi *cfi);

void cfi_ranges(struct cfi *cfi, struct unwind_ranges *ranges);
/* Returns false if no function is a host, see cfa_is_host(). */
bool cfi_may_have_host(const struct cfi *cfi);
/* Adds the rows of RANGE, which is one of the section's ranges or a part of one. */
void cfi_rows(struct cfi *cfi, const struct unwind_range *range, struct unwind_rows *rows);

#endif
