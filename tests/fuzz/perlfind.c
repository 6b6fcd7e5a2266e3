/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The search for Perl in a process whose files and memory may contain anything. The first bytes
 * choose the contents of the files. The others are the memory from address 0 on; they are repeated.
 */
#include "fuzz.h"
#include "lib/strbuf.h"
#include "symbol/elf/elffacts.h"
#include "symbol/elf/elffile.h"
#include "runtime/perl/perl_walk.h"

#include <string.h>

struct elffacts;

enum { FILES = 2, FACTS = 32, DEPTH = 32, READ_MAX = 64 << 20, FILE_SIZE = 0x1000 };

static struct input {
	const uint8_t *data; /* FACTS bytes, then memory */
	size_t size;
	size_t read;
	unsigned nr; /* number of facts that were requested */
} input;

static uint8_t next_fact(void)
{
	return input.data[input.nr++ % FACTS];
}

static uint64_t next_number(void)
{
	uint8_t fact = next_fact();

	return fact < 0xf0 ? fact * 4ULL : UINT64_MAX - (fact & 15);
}

/* ---- the contents of the files ---- */

bool elffacts_variable(const struct elffile *elf, const char *name, struct elf_variable *variable)
{
	uint8_t fact = next_fact();

	must(elf && *name);
	*variable = (struct elf_variable){next_number(), fact, fact % 16 == 1};
	return fact % 4;
}

enum elf_thread_place elffacts_thread_place(
	const struct elffile *elf, const char *name, uint64_t *value)
{
	must(elf && *name);
	*value = next_number();
	return (enum elf_thread_place)(next_fact() % (THREAD_MODULE + 1));
}

bool elffacts_section(
	const struct elffile *elf, const char *name, uint64_t *address, uint64_t *size)
{
	must(elf && *name);
	*address = next_number();
	*size = next_number() << next_fact() % 8;
	return next_fact() % 4;
}

void elffacts_ask(const struct elf_question *list, size_t nr)
{
	must(list && nr);
}

void elffacts_free(struct elffacts *facts)
{
	must(!facts);
}

/* ---- its memory ---- */

static bool read_input(void *context, uint64_t address, void *to, size_t len)
{
	const size_t size = input.size - FACTS;
	uint8_t *bytes = to;

	must(!context && len <= READ_MAX && (input.read += len) <= READ_MAX);
	if (address > UINT64_MAX - len || !(address + 1))
		return false;
	for (size_t i = 0; i < len; i++)
		bytes[i] = input.data[FACTS + (address + i) % size];
	return true;
}

static void walk(const struct perl_layout *l, const struct memory *memory)
{
	struct vm_frame frames[DEPTH];
	struct vm_stack stack = {.frames = frames, .max = DEPTH};
	enum vm_end end = perl_walk_thread(l, memory, next_number(), &stack);

	must(stack.nr <= DEPTH && end > VM_ON && end < VM_ENDS);
	for (size_t i = 0; i < stack.nr; i++) {
		struct strbuf text = STRBUF_INIT;
		struct perl_texts texts;

		perl_frame_texts(l, memory, &frames[i], &texts);
		perl_texts_name(&texts, perl_frame_type(frames[i].what), &text);
		perl_texts_file(&texts, &text);
		strbuf_release(&text);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct elffile *elf; /* none of its contents are read */
	struct target_file files[FILES];
	struct target target = {.files = files,
		.nr_files = FILES,
		.memory = {read_input, NULL},
		.debuginfo = DEBUGINFO_NEVER};
	struct strbuf err = STRBUF_INIT;
	struct perl_layout layout;

	if (size <= FACTS)
		return 0;
	if (!elf)
		elf = elffile_open_vdso();
	must(elf);
	input = (struct input){data, size, 0, 0};
	for (size_t i = 0; i < FILES; i++)
		files[i] = (struct target_file){
			elf, i ? "/lib/libc.so.6" : "/bin/perl", i * FILE_SIZE};
	int ret = perl_find(&target, NULL, &layout, &err);

	must((ret < 0) == (err.len > 0));
	if (!ret) {
		must(perl_shape_is_sane(&layout.shape) && layout.interpreter.nr <= PATH_STEPS);
		walk(&layout, &target.memory);
	}
	strbuf_release(&err);
	return 0;
}
