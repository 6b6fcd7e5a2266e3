/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "at_multi.h"
#include "at_files.h"
#include "at_sites.h"
#include "lib/util.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

/* From <linux/bpf.h> of Linux 6.6, which is newer than the headers that this is built with. */
enum { KPROBE_MULTI = 42, UPROBE_MULTI = 48, MULTI_RETURN = 1 };

/* The part of union bpf_attr for BPF_LINK_CREATE. */
struct multi_link {
	uint32_t program, target, attach_type, flags;
	union {
		struct {
			uint64_t path, offsets, semaphores, cookies;
			uint32_t nr, flags, pid;
		} user;
		struct {
			uint32_t flags, nr;
			uint64_t symbols, addresses, cookies;
		} kernel;
	};
};

static int create(const struct multi_link *link)
{
	return (int)syscall(SYS_bpf, BPF_LINK_CREATE, link, sizeof(*link));
}

/* Loads a program that does nothing. */
static int load_nothing(unsigned attach_type)
{
	static const struct bpf_insn nothing[] = {
		{.code = BPF_ALU64 | BPF_MOV | BPF_K}, /* r0 = 0 */
		{.code = BPF_JMP | BPF_EXIT},
	};
	LIBBPF_OPTS(bpf_prog_load_opts, opts,
		.expected_attach_type = (enum bpf_attach_type)attach_type);

	return bpf_prog_load(BPF_PROG_TYPE_KPROBE, NULL, "GPL", nothing, ARRAY_LEN(nothing), &opts);
}

/* Returns the error of LINK, which cannot be made, for a program that does nothing, or 0. */
static int error_of(struct multi_link *link)
{
	int program = load_nothing(link->attach_type), fd;

	if (program < 0)
		return 0;
	link->program = (uint32_t)program;
	fd = create(link);
	int error = fd < 0 ? errno : 0;

	if (fd >= 0)
		close(fd);
	close(program);
	return error;
}

/* A folder is no file that could be probed: kernels that know the link say so. */
bool at_multi_has_user(void)
{
	static const uint64_t offset;
	static int error = -1;

	if (error < 0)
		error = error_of(&(struct multi_link){.attach_type = UPROBE_MULTI,
			.user = {.path = (uintptr_t) "/", .offsets = (uintptr_t)&offset, .nr = 1}});
	return error == EBADF;
}

/* There is no such function. */
bool at_multi_has_kernel(void)
{
	static const char *const symbols[] = {"no such function"};
	static int error = -1;

	if (error < 0)
		error = error_of(&(struct multi_link){.attach_type = KPROBE_MULTI,
			.kernel = {.nr = 1, .symbols = (uintptr_t)symbols}});
	return error == ESRCH || error == ENOENT;
}

/* Before, the kernel compares the number with the thread's. */
bool at_multi_has_process(void)
{
	struct utsname uts;
	unsigned major, minor;

	return at_multi_has_user() && !uname(&uts) &&
	       sscanf(uts.release, "%u.%u", &major, &minor) == 2 &&
	       (major > 6 || (major == 6 && minor >= 10));
}

void at_multi_prepare(struct bpf_program *program, bool kernel)
{
	bpf_program__set_expected_attach_type(
		program, (enum bpf_attach_type)(kernel ? KPROBE_MULTI : UPROBE_MULTI));
}

/* Attaches in a file. The arrays have room for the sites. */
static int attach_in_file(struct multi_link *link, const struct at_site *sites, size_t nr,
	uint64_t *cookies, bool returns)
{
	uint64_t *offsets = xcalloc(nr, sizeof(*offsets)), *semaphores = xcalloc(nr, 8);

	for (size_t i = 0; i < nr; i++) {
		offsets[i] = sites[i].offset;
		semaphores[i] = sites[i].semaphore;
	}
	link->attach_type = UPROBE_MULTI;
	link->user.path = (uintptr_t)sites->file->path;
	link->user.offsets = (uintptr_t)offsets;
	link->user.semaphores = (uintptr_t)semaphores;
	link->user.cookies = (uintptr_t)cookies;
	link->user.nr = (uint32_t)nr;
	link->user.flags = returns ? MULTI_RETURN : 0;
	int fd = create(link), error = errno;

	free(offsets);
	free(semaphores);
	errno = error;
	return fd;
}

static int attach_in_kernel(struct multi_link *link, const struct at_site *sites, size_t nr,
	uint64_t *cookies, bool returns)
{
	const char **symbols = xcalloc(nr, sizeof(*symbols));

	for (size_t i = 0; i < nr; i++)
		symbols[i] = sites[i].name;
	link->attach_type = KPROBE_MULTI;
	link->kernel.symbols = (uintptr_t)symbols;
	link->kernel.cookies = (uintptr_t)cookies;
	link->kernel.nr = (uint32_t)nr;
	link->kernel.flags = returns ? MULTI_RETURN : 0;
	int fd = create(link), error = errno;

	free(symbols);
	errno = error;
	return fd;
}

int at_multi_attach(const struct bpf_program *program, const struct at_site *sites, size_t nr,
	bool returns, uint32_t pid)
{
	struct multi_link link = {.program = (uint32_t)bpf_program__fd(program)};
	uint64_t *cookies = xcalloc(nr, sizeof(*cookies));

	for (size_t i = 0; i < nr; i++)
		cookies[i] = sites[i].cookie;
	if (sites->file)
		link.user.pid = pid;
	int fd = sites->file ? attach_in_file(&link, sites, nr, cookies, returns)
			     : attach_in_kernel(&link, sites, nr, cookies, returns);
	int error = errno;

	free(cookies);
	errno = error;
	return fd;
}
