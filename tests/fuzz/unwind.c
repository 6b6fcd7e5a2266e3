/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A section from which an unwind table is built: the first byte chooses the section, the rest is
 * its content. */
#include "../unit/tiny_elf.h"
#include "fuzz.h"
#include "symbol/elf/elffile_internal.h"
#include "runtime/native.h"
#include "unwind/unwind_build.h"
#include "unwind/unwind_table.h"

#include <sys/mman.h>
#include <unistd.h>

static const char *const names[] = {".eh_frame", ".debug_frame", ".gopclntab", ".data.rel.ro"};
static const char text[4096] = {15, 5, 0x48, -57, -64, 15, 0, 0, 0, 15, 5};

static void use(const struct unwind_table *table)
{
	const struct unwind_header *h = table->header;

	must(h->nr_rows > 0 && h->size > 0);
	must(h->base >= TINY_BASE && h->base + h->size <= TINY_FIRST + (1 << 20));
	for (uint64_t at = h->base - 1; at <= h->base + h->size; at += 7)
		must(unwind_table_find(table, at)->cfa < UNWIND_CFA_CALLED);
}

/* Checks that the new table is valid. */
static void reopen(const struct unwind_table *table)
{
	struct unwind_table again;
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	must(fd >= 0);
	must(write(fd, table->blocks, table->size) == (ssize_t)table->size);
	must(!unwind_table_open(&again, fd, ""));
	use(&again);
	unwind_table_release(&again);
	close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct strbuf image = STRBUF_INIT, err = STRBUF_INIT;
	struct tiny_section sections[TINY_SECTIONS] = {{".text", text, sizeof(text)}};
	struct unwind_table table;

	if (!size)
		return 0;
	sections[1] = (struct tiny_section){names[data[0] % 4], data + 1, size - 1};
	tiny_elf(&image, sections);
	struct elffile *elf = elffile_open_memory(image.buf, image.len);

	must(elf);
	if (unwind_build(&table, elf, native_sources, data[0] & 4, &err)) {
		must(err.len && !table.blocks);
	} else {
		use(&table);
		reopen(&table);
	}
	unwind_table_release(&table);
	elffile_close(elf);
	strbuf_release(&image);
	strbuf_release(&err);
	return 0;
}
