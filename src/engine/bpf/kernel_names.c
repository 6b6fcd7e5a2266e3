/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel_names.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "symbol/names/kallsyms.h"

#include <bpf/bpf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { TEXT_MAX = 1024 }; /* the longest name has 512 bytes */

/* What the program reads and writes, mapped into our memory. */
struct named_address {
	uint64_t address;
	char text[TEXT_MAX];
};

struct namer {
	int format, map, program; /* file descriptors, or -1 */
	struct named_address *named;
};

static const char format[] = "%pS";

/* Makes a map whose only value is the format, as the program's constants are. */
static int make_format(void)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_RDONLY_PROG);
	const uint32_t zero = 0;
	int fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, NULL, sizeof(zero), sizeof(format), 1, &opts);

	if (fd >= 0 && (bpf_map_update_elem(fd, &zero, format, BPF_ANY) || bpf_map_freeze(fd))) {
		close(fd);
		return -1;
	}
	return fd;
}

static int make_named(void)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_MMAPABLE);

	return bpf_map_create(
		BPF_MAP_TYPE_ARRAY, NULL, sizeof(uint32_t), sizeof(struct named_address), 1, &opts);
}

/* Loads the address of byte AT of the only value of the map FD. */
#define LOAD_VALUE(reg, fd, at)                                                                    \
	{.code = BPF_LD | BPF_DW | BPF_IMM,                                                        \
		.dst_reg = (reg),                                                                  \
		.src_reg = BPF_PSEUDO_MAP_VALUE,                                                   \
		.imm = (fd)},                                                                      \
	{                                                                                          \
		.imm = (at)                                                                        \
	}

#define LOAD_NUMBER(reg, number)                                                                   \
	{                                                                                          \
		.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = (reg), .imm = (number)             \
	}

/* Loads the program bpf_snprintf(text, TEXT_MAX, format, &address, 8). */
static int load_program(const struct namer *n)
{
	const struct bpf_insn program[] = {
		LOAD_VALUE(BPF_REG_1, n->map, offsetof(struct named_address, text)),
		LOAD_NUMBER(BPF_REG_2, TEXT_MAX),
		LOAD_VALUE(BPF_REG_3, n->format, 0),
		LOAD_VALUE(BPF_REG_4, n->map, offsetof(struct named_address, address)),
		LOAD_NUMBER(BPF_REG_5, sizeof(uint64_t)),
		{.code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_snprintf},
		LOAD_NUMBER(BPF_REG_0, 0),
		{.code = BPF_JMP | BPF_EXIT},
	};

	return bpf_prog_load(
		BPF_PROG_TYPE_RAW_TRACEPOINT, NULL, "GPL", program, ARRAY_LEN(program), NULL);
}

static void close_all(const struct namer *n)
{
	const int fds[] = {n->format, n->map, n->program};

	if (n->named != MAP_FAILED)
		munmap(n->named, sizeof(*n->named));
	for (size_t i = 0; i < ARRAY_LEN(fds); i++)
		if (fds[i] >= 0)
			close(fds[i]);
}

/* Returns false if the kernel cannot be asked. */
static bool open_all(struct namer *n)
{
	*n = (struct namer){make_format(), make_named(), -1, MAP_FAILED};
	if (n->format < 0 || n->map < 0)
		return false;
	n->named = mmap(NULL, sizeof(*n->named), PROT_READ | PROT_WRITE, MAP_SHARED, n->map, 0);
	n->program = load_program(n);
	return n->named != MAP_FAILED && n->program >= 0;
}

/* Asks for one address. The text stays empty if the program does not run. */
static void describe(void *namer, uint64_t address, struct strbuf *text)
{
	const struct namer *n = namer;
	LIBBPF_OPTS(bpf_test_run_opts, opts);

	n->named->address = address;
	if (bpf_prog_test_run_opts(n->program, &opts))
		return;
	strbuf_add(text, n->named->text, strnlen(n->named->text, TEXT_MAX));
}

struct kallsyms *kernel_names_ask(const uint64_t *list, size_t nr)
{
	uint64_t *each = xcalloc(nr, 2 * sizeof(*each));
	struct kallsyms *ks = NULL;
	struct namer n;

	for (size_t i = 0; i < nr; i++) {
		each[2 * i] = list[i] - 1;
		each[2 * i + 1] = list[i];
	}
	if (open_all(&n))
		ks = kallsyms_ask(each, 2 * nr, describe, &n);
	close_all(&n);
	free(each);
	return ks;
}

bool kernel_names_can_ask(void)
{
	struct namer n;
	bool can = open_all(&n);

	close_all(&n);
	return can;
}
