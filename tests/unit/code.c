/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The code of functions: a worker's results, a kernel's memory, and instructions as text. */
#include "lib/util.h"
#include "symbol/code/code_job.h"
#include "symbol/code/disassembler.h"
#include "symbol/code/code.h"
#include "symbol/code/kcore.h"
#include "symbol/symbol_options.h"

#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

/* push %rbp; call to itself; ret; int3 */
static const unsigned char machine_code[] = {0x55, 0xe8, 0xfa, 0xff, 0xff, 0xff, 0xc3, 0xcc};

enum { KERNEL = 0x1000 };
static const uint64_t kernel_at = 0xffffffff81000000;

static struct code made_code(void)
{
	struct code code;

	code_init(&code);
	uint32_t text = strpool_adds(&code.strings, "ret");
	uint32_t name = strpool_adds(&code.strings, "main");

	code.functions = xcalloc(1, sizeof(*code.functions));
	code.functions[0] = (struct code_function){.start = 16, .end = 18, .nr = 2};
	code.insns = xcalloc(2, sizeof(*code.insns));
	code.insns[0] = (struct code_insn){.address = 16, .size = 1, .text = text, .nr = 1};
	code.insns[1] = (struct code_insn){.address = 17, .size = 1, .text = text, .target = name};
	code.frames = xcalloc(1, sizeof(*code.frames));
	code.frames[0] = (struct code_frame){.function = name, .line = 3};
	code.places = xcalloc(1, sizeof(*code.places));
	code.places[0] = 2;
	code.header.nr_functions = code.header.nr_frames = code.header.nr_places = 1;
	code.header.nr_insns = 2;
	return code;
}

static bool is_read(const char *bytes, size_t len)
{
	struct strbuf in = STRBUF_INIT;
	struct code code;

	strbuf_add(&in, bytes, len);
	code_init(&code);
	bool ok = !code_read(&code, &in);

	for (uint32_t i = 0; ok && i < code.header.nr_insns; i++) {
		const struct code_insn *insn = &code.insns[i];

		assert_true(insn->first + (uint64_t)insn->nr <= code.header.nr_frames);
		strpool_get(&code.strings, insn->text);
		strpool_get(&code.strings, insn->target);
	}
	code_release(&code);
	strbuf_release(&in);
	return ok;
}

static void test_worker_result(void **state)
{
	struct code code = made_code();
	struct strbuf out = STRBUF_INIT;

	(void)state;
	code_write(&code, &out);
	assert_true(is_read(out.buf, out.len));
	for (size_t len = 0; len < out.len; len++)
		assert_false(is_read(out.buf, len));
	for (size_t i = 0; i < out.len; i++)
		for (int bit = 0; bit < 8; bit++) {
			out.buf[i] ^= (char)(1 << bit);
			is_read(out.buf, out.len); /* no byte after its arrays is used */
			out.buf[i] ^= (char)(1 << bit);
		}
	code.places[0] = 3;
	strbuf_reset(&out);
	code_write(&code, &out);
	assert_false(is_read(out.buf, out.len));
	code_release(&code);
	strbuf_release(&out);
}

/* Makes a file like /proc/kcore, with the code at kernel_at. */
static int make_kcore(void)
{
	int fd = memfd_create("kcore", MFD_CLOEXEC);
	Elf64_Ehdr head = {
		.e_phoff = sizeof(head), .e_phentsize = sizeof(Elf64_Phdr), .e_phnum = 2};
	const Elf64_Phdr segments[] = {
		{.p_type = PT_NOTE},
		{.p_type = PT_LOAD,
			.p_offset = KERNEL,
			.p_vaddr = kernel_at,
			.p_filesz = sizeof(machine_code)},
	};

	memcpy(head.e_ident, ELFMAG, SELFMAG);
	head.e_ident[EI_CLASS] = ELFCLASS64;
	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, &head, sizeof(head), 0), sizeof(head));
	assert_int_equal(pwrite(fd, segments, sizeof(segments), sizeof(head)), sizeof(segments));
	assert_int_equal(
		pwrite(fd, machine_code, sizeof(machine_code), KERNEL), sizeof(machine_code));
	return fd;
}

static void test_kcore(void **state)
{
	unsigned char bytes[sizeof(machine_code)];
	int fd = make_kcore();

	(void)state;
	assert_int_equal(kcore_read(fd, kernel_at, bytes, sizeof(bytes)), 0);
	assert_memory_equal(bytes, machine_code, sizeof(bytes));
	assert_int_equal(kcore_read(fd, kernel_at + 1, bytes, 2), 0);
	assert_int_equal(bytes[0], 0xe8);
	assert_int_equal(kcore_read(fd, kernel_at + 1, bytes, sizeof(bytes)), -1);
	assert_int_equal(kcore_read(fd, kernel_at - 1, bytes, 2), -1);
	assert_int_equal(kcore_read(fd, UINT64_MAX, bytes, 2), -1);
	assert_int_equal(ftruncate(fd, KERNEL + 4), 0);
	assert_int_equal(kcore_read(fd, kernel_at, bytes, sizeof(bytes)), -1);
	assert_int_equal(ftruncate(fd, 8), 0);
	assert_int_equal(kcore_read(fd, kernel_at, bytes, 1), -1);
	close(fd);
}

/* A function of a kernel without debug file is read from the kernel's memory. */
static void test_running_kernel(void **state)
{
	const struct symbol_options options = {.inlines = true, .lines = true};
	struct job_location location = {.offset = 0x11};
	struct kernel_place place = {.before = 1, .after = sizeof(machine_code) - 1};
	struct code_job job = {
		.lookup =
			{
				.path = "[kernel]",
				.build_id = "0123",
				.release = "0.0.0-none",
				.locations = &location,
				.nr_locations = 1,
				.fd = -1,
				.debug_fd = -1,
				.alt_fd = -1,
				.options = &options,
			},
		.kcore = make_kcore(),
		.text_now = kernel_at - 0x10,
		.kernel_places = &place,
	};
	struct strbuf out = STRBUF_INIT;
	struct code code;

	(void)state;
	code_job_work(&job, &out);
	code_init(&code);
	assert_int_equal(code_read(&code, &out), 0);
	assert_int_equal(code.header.nr_functions, 1);
	assert_int_equal(code.functions[0].start, kernel_at);
	assert_int_equal(code.header.nr_insns, 3); /* not the padding */
	assert_string_equal(strpool_get(&code.strings, code.insns[0].text), "pushq %rbp");
	assert_int_equal(code.places[0], 2);
	code_release(&code);
	strbuf_release(&out);
	close(job.kcore);
}

static void test_instructions(void **state)
{
	struct disassembler *d = disassembler_new(true);
	struct disassembled insn = {.text = STRBUF_INIT};
	const unsigned char bad[] = {0x06};

	(void)state;
	assert_non_null(d);
	disassembler_read(d, machine_code, sizeof(machine_code), 0x100, &insn);
	assert_string_equal(insn.text.buf, "push rbp");
	assert_int_equal(insn.size, 1);
	disassembler_read(d, machine_code + 1, sizeof(machine_code) - 1, 0x101, &insn);
	assert_true(insn.has_target);
	assert_int_equal(insn.target, 0x100);
	disassembler_read(d, machine_code + 1, 3, 0x101, &insn);
	assert_string_equal(insn.text.buf, "(bad)");
	disassembler_read(d, bad, sizeof(bad), 0x100, &insn);
	assert_string_equal(insn.text.buf, "(bad)");
	assert_int_equal(insn.size, 1);
	disassembler_read(d, machine_code + 7, 1, 0x107, &insn);
	assert_true(insn.is_padding);
	strbuf_release(&insn.text);
	disassembler_free(d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_worker_result),
		cmocka_unit_test(test_kcore),
		cmocka_unit_test(test_running_kernel),
		cmocka_unit_test(test_instructions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
