/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Unwinds copies of stacks to their end. The registers, the stack, the rules and the mappings are
 * the input. Instead of files there is one text; each KiB of it is a mapping whose table is
 * available, comes late, or never comes.
 */
#include "runtime/native_list.h"
#include "engine/bpf/stack_copies.h"
#include "fuzz.h"
#include "symbol/elf/elffile.h"

#include <string.h>
#include <sys/uio.h>

enum { TEXT = 0x400000, MAP_SIZE = 1024, MAPS = 8, RULES = 16, NUMBER = STACK_COPY | 1 };

static const uint64_t stack = 0x7fff00000000;

static struct object objects[MAPS];
static struct mapping maps[MAPS];
static struct process process = {.pid = 1};
static struct processes ps = {
	.list = &process, .nr = 1, .maps = maps, .nr_maps = MAPS, .objects = objects};

static struct input {
	const uint8_t *data;
	size_t size, at;
} input;

static struct unwind_rule rule_list[RULES];
static uint8_t states[MAPS];
static uint8_t code;
static unsigned steps; /* of one walk */

/* Returns the next byte of the input, or 0 at its end. */
static uint8_t take(void)
{
	return input.at < input.size ? input.data[input.at++] : 0;
}

/* Makes a number from two bytes: a small one, one in the stack, one in the text, or any. */
static uint64_t word(void)
{
	uint64_t v = (uint64_t)take() << 8, small;

	v |= take();
	small = v & 0x3fff;
	switch (v >> 14) {
	case 0:
		return small & 0x2000 ? 0ULL - (small & 0x1fff) : small;
	case 1:
		return stack + 2 * small;
	case 2:
		return TEXT + (small & 0x2fff);
	default:
		return v * 0x9e3779b97f4a7c15ULL;
	}
}

const struct mapping *process_find_at(
	const struct processes *all, const struct process *p, uint64_t address, int64_t time_ns)
{
	uint64_t at = (address - TEXT) / MAP_SIZE;

	must(all == &ps && p == &process && time_ns == 1);
	return address >= TEXT && at < MAPS ? &maps[at] : NULL;
}

bool elffile_mapped(const struct elffile *elf, uint64_t offset, uint64_t size, uint64_t *address)
{
	must(elf && !offset && size == MAP_SIZE);
	*address = 0;
	return true;
}

uint32_t loader_number(struct loader *r, size_t object)
{
	must(r && object < MAPS);
	return (uint32_t)object;
}

enum table_state loader_request(
	struct loader *r, uint32_t number, const struct unwind_table **table)
{
	must(r && number < MAPS);
	steps++;
	*table = NULL;
	return number ? (enum table_state)(states[number] % 3) : TABLE_NONE;
}

const struct unwind_rule *unwind_table_find(const struct unwind_table *table, uint64_t address)
{
	must(!table && address < MAP_SIZE);
	return &rule_list[address / 16 % RULES];
}

/* Replaces the system call, by which code is read. */
ssize_t process_vm_readv(pid_t pid, const struct iovec *local, unsigned long nr_local,
	const struct iovec *remote, unsigned long nr_remote, unsigned long flags)
{
	must(pid == 1 && nr_local == 1 && nr_remote == 1 && !flags);
	must(local->iov_len == remote->iov_len);
	memset(local->iov_base, code, local->iov_len);
	return (uintptr_t)remote->iov_base < TEXT ? -1 : (ssize_t)local->iov_len;
}

static void make_maps(void)
{
	for (size_t i = 0; i < MAPS; i++) {
		states[i] = take();
		objects[i].elf = i ? (struct elffile *)&objects : NULL;
		objects[i].path = (char *)(i || states[i] & 1 ? "/file" : "//anon");
		maps[i] = (struct mapping){.start = TEXT + i * MAP_SIZE,
			.end = TEXT + (i + 1) * MAP_SIZE,
			.object = i};
	}
}

static void make_rules(void)
{
	uint8_t bytes[sizeof(rule_list)];

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = take();
	memcpy(rule_list, bytes, sizeof(bytes));
	for (size_t i = 0; i < RULES; i++)
		if (rule_list[i].cfa & 8) { /* a likely rule */
			rule_list[i].cfa %= RUNTIME_CFA(LUAJIT) + 1;
			rule_list[i].reg =
				(uint8_t[]){REG_SP, REG_FP, REG_BASE, 10}[rule_list[i].reg % 4];
			rule_list[i].offset = rule_list[i].offset % 256 * 8;
			rule_list[i].ra = -1;
			rule_list[i].fp %= 8;
			rule_list[i].base %= 8;
		}
}

static void send(struct stack_copies *copies, uint16_t nr_pages)
{
	struct ring_copy head = {
		.type = RING_COPY, .copy = NUMBER, .tgid = 1, .nr_pages = nr_pages, .time = 1};
	struct ring_page page = {.type = RING_PAGE, .copy = NUMBER};
	size_t begin;

	for (int i = 0; i < NR_REGS; i++)
		head.reg[i] = word();
	begin = input.at;
	for (uint16_t i = 0; i < nr_pages; i++) {
		for (size_t k = 0; k < COPY_PAGE; k += 8) {
			uint64_t value = word();

			memcpy(page.bytes + k, &value, 8);
			if (input.at >= input.size)
				input.at = begin;
		}
		page.index = i;
		stack_copies_add_page(copies, &page);
	}
	stack_copies_add(copies, &head, 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct stack_copies copies;
	struct loader loader = {0};
	struct samples samples;
	uint16_t nr_pages;

	input = (struct input){data, size, 0};
	nr_pages = take();
	nr_pages = nr_pages == 255 ? COPY_PAGES : nr_pages % 6;
	code = take();
	make_maps();
	make_rules();
	samples_init(&samples);
	stack_copies_init(&copies, &ps, &loader, &samples);
	steps = 0;
	send(&copies, nr_pages);
	must(steps <= WALK_DEPTH);
	uint32_t stack = stack_copies_stack(&copies, NUMBER);

	must(copies.nr == !samples_actual(&samples, stack));
	stack_copies_unwind(&copies, true);
	must(steps <= 2 * WALK_DEPTH);
	must(copies.nr == 0 && copies.bytes == 0 && copies.nr_parts == 0);
	must(stack_copies_stack(&copies, NUMBER) == stack);
	stack = samples_actual(&samples, stack);
	must(stack && samples.stacks[stack].nr > 0 && samples.stacks[stack].nr <= WALK_DEPTH);
	must(samples.stacks[stack].end > WALK_ON && samples.stacks[stack].end < WALK_ENDS);
	stack_copies_release(&copies);
	samples_release(&samples);
	return 0;
}
