/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A file that a debuginfod server sent, or that is installed as a debug file. Whatever it contains,
 * the worker writes a result that its parent accepts. An object file stands for a kernel module. */
#include "fuzz.h"
#include "mutate_elf.h"
#include "symbol/elf/elffile_internal.h"
#include "symbol/lookup_job.h"
#include "symbol/lookup_result.h"
#include "symbol/symbol_options.h"

#include <stdlib.h>
#include <unistd.h>
#include <sys/mman.h>

enum { LOCATIONS = 64, STEP = 23 };

static int open_bytes(const uint8_t *data, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	must(fd >= 0 && !write_whole(fd, data, size));
	return fd;
}

static void take_result(const struct strbuf *output)
{
	struct lookup_result result;

	lookup_result_init(&result);
	must(!lookup_result_read(&result, output));
	for (uint32_t i = 0; i < result.header.nr_frames; i++)
		must(result.frames[i].location < LOCATIONS);
	lookup_result_release(&result);
}

/* Does what lookup_job_prepare and lookup_job_finish do with files. */
static void look_up(const struct elffile *elf, int fd, bool is_module)
{
	const struct symbol_options options = {.inlines = true, .lines = true};
	struct strbuf output = STRBUF_INIT;
	struct job_location locations[LOCATIONS];
	struct lookup_job job = {
		.path = is_module ? "[fuzz]" : "/no/where",
		.build_id = elffile_build_id(elf),
		.release = "none",
		.locations = locations,
		.nr_locations = LOCATIONS,
		.options = &options,
		.downloaded = "download",
		.fd = -1,
		.debug_fd = fd,
		.alt_fd = -1,
		.store = {.in = -1, .out = -1},
	};
	uint64_t address = 0;

	elffile_address(elf, 0, &address);
	for (uint64_t i = 0; i < LOCATIONS; i++)
		locations[i] = (struct job_location){i * STEP, address + i * STEP, i % 2};
	lookup_job_work(&job, &output);
	take_result(&output);
	strbuf_release(&output);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct elffile *elf = elffile_open_any(open_bytes(data, size));

	if (elf) {
		look_up(elf, open_bytes(data, size), false);
		look_up(elf, open_bytes(data, size), true);
	}
	elffile_close(elf);
	return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned int seed)
{
	return mutate_elf(data, size, max, seed);
}
