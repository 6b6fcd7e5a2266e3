/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The lines of our SystemTap scripts, up to the recording that is made of them. Instead of /proc
 * there is one process for every PID. It has two mappings, one of them of a file that contains
 * Perl. The kernel has one symbol.
 */
#include "engine/samples.h"
#include "engine/seal.h"
#include "engine/stap/tally.h"
#include "fuzz.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "symbol/elf/elffacts.h"
#include "symbol/names/kallsyms.h"
#include "runtime/perl/perl_splice.h"
#include "runtime/vm.h"

#include <string.h>

static int file; /* stands for the ELF file */
static struct object objects[] = {
	{.path = (char[]){"/bin/a b"}, .elf = (struct elffile *)&file, .has_rules = true},
	{.path = (char[]){""}},
};
static struct mapping maps[] = {
	{.start = 0x1000, .end = 0x2000, .offset = 0x3000, .generation = 1},
	{.start = 0x1800, .end = 0x3000, .object = 1, .generation = 2},
};
static uint32_t numbers[] = {0, 1};
static struct process process = {.generation = 2, .maps = numbers, .nr_maps = 2};

struct process *processes_get(struct processes *ps, uint32_t pid)
{
	(void)ps;
	process.pid = pid;
	return &process;
}

void process_scan_soon(struct processes *ps, struct process *p)
{
	must(ps && p == &process);
}

const struct mapping *process_find(
	const struct processes *ps, const struct process *p, uint64_t address)
{
	for (size_t i = p->nr_maps; i--;)
		if (ps->maps[i].start <= address && address < ps->maps[i].end)
			return &ps->maps[i];
	return NULL;
}

uint64_t task_start(uint32_t pid, uint32_t tid)
{
	return (uint64_t)pid + tid;
}

uint64_t task_tick_ns(void)
{
	return 10000000;
}

const char *elffile_build_id(const struct elffile *elf)
{
	must(elf == objects[0].elf);
	return "";
}

uid_t elffile_owner(const struct elffile *elf)
{
	must(elf == objects[0].elf);
	return 0;
}

enum elf_rules elffacts_rules(const struct elffile *elf, uint64_t offset)
{
	must(elf == objects[0].elf);
	return offset & 1 ? RULES_NONE : offset & 2 ? RULES_SOME : RULES_ROOT;
}

bool elffile_mapped(const struct elffile *elf, uint64_t offset, uint64_t size, uint64_t *address)
{
	must(elf == objects[0].elf && size);
	*address = offset;
	return true;
}

void elffacts_ask(const struct elf_question *list, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		must(list[i].elf == objects[0].elf);
}

bool elffacts_is_main(const struct elffile *elf, uint64_t address)
{
	must(elf == objects[0].elf);
	return address & 1;
}

/* The variables are 0x100 bytes each, from 0x3100 on. */
bool elffacts_variable(const struct elffile *elf, const char *name, struct elf_variable *variable)
{
	static const char *const names[] = {"Perl_runops_standard", "Perl_call_sv", "perl_run"};

	must(elf == objects[0].elf);
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (!strcmp(names[i], name)) {
			*variable =
				(struct elf_variable){.address = 0x3100 + i * 0x100, .size = 0x100};
			return true;
		}
	return false;
}

bool elffacts_cold_part(const struct elffile *elf, const char *name, struct elf_variable *part)
{
	must(elf == objects[0].elf);
	*part = (struct elf_variable){.address = 0x3f00, .size = 0x40};
	return strlen(name) & 1;
}

/* Perl alone, and only its functions for splicing. */
static const struct vm perl = {
	.language = &languages[LANGUAGE_PERL], .kind = VM_PERL, .splice = &perl_splice};

const struct vm *vm_named(const char *name, size_t len)
{
	return len == 4 && !memcmp(name, "perl", len) ? &perl : NULL;
}

const struct vm *vm_of_letter(char letter)
{
	return letter == perl.language->letter ? &perl : NULL;
}

const struct vm *vm_of_stack(enum stack_kind kind)
{
	return kind == STACK_PERL ? &perl : NULL;
}

uint64_t kallsyms_text(const struct kallsyms *ks)
{
	must(ks);
	return 1;
}

bool kallsyms_find(const struct kallsyms *ks, uint64_t address, const char **name,
	const char **module, uint64_t *offset)
{
	must(ks);
	*name = "asm_entry";
	*module = "[kernel]";
	*offset = address & 0xff;
	return address >> 63;
}

static void take_lines(struct tally *t, const uint8_t *data, size_t size)
{
	struct lines lines;
	char *line;
	size_t len;

	fuzz_lines(&lines, data, size);
	while (lines_next(&lines, &line, &len))
		tally_line(t, line, len);
	fuzz_lines_end(&lines);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct processes ps = {.objects = objects, .nr_objects = 2, .maps = maps, .nr_maps = 2};
	struct tally t;
	struct samples samples;
	struct recording rec;
	struct profile p;

	samples_init(&samples);
	samples_event(&samples, &(struct sample_event){"on-cpu", "samples", "cpu", 0, 1});
	tally_init(&t, &ps, &samples);
	take_lines(&t, data, size);
	recording_init(&rec);
	rec.lost[LOST_NO_BODY] = tally_add_rows(&t);
	recording_seal(&rec, &samples,
		&(struct seal_facts){.ps = &ps, .ks = (const struct kallsyms *)&ps});
	samples_release(&samples);
	tally_release(&t);
	fuzz_write_twice(&rec);
	profile_init(&p);
	recording_to_profile(&rec, &(struct recording_view){.threads = true, .event = -1}, &p);
	fuzz_fold_twice(&p);
	profile_release(&p);
	recording_release(&rec);
	return 0;
}
