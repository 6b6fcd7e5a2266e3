/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vfs: chooses the system calls that are recorded, and names their files; see vfs.bpf.c. */
#include "vfs.h"
#include "arch/x86_64/syscall_names.h"
#include "engine/bpf/bpf_tool.h"
#include "engine/bpf/drain.h"
#include "engine/bpf/features.h"
#include "engine/bpf/file_labels.h"
#include "engine/bpf/programs.h"
#include "engine/bpf/refusal.h"
#include "lib/error_name.h"
#include "lib/strbuf.h"
#include "lib/util.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/io_uring.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "bpf/vfs.object.h"
#include "bpf/vfs.plain.object.h"

static const char *const ops[VFS_OPS] = {"read", "write", "sync", "open", "list"};

static const struct io_call {
	uint32_t number;
	enum vfs_op op;
	int8_t from, to, path; /* as in struct vfs_call */
} calls[] = {
	{SYS_read, VFS_READ, 0, -1, -1},
	{SYS_pread64, VFS_READ, 0, -1, -1},
	{SYS_readv, VFS_READ, 0, -1, -1},
	{SYS_preadv, VFS_READ, 0, -1, -1},
	{SYS_preadv2, VFS_READ, 0, -1, -1},
	{SYS_write, VFS_WRITE, -1, 0, -1},
	{SYS_pwrite64, VFS_WRITE, -1, 0, -1},
	{SYS_writev, VFS_WRITE, -1, 0, -1},
	{SYS_pwritev, VFS_WRITE, -1, 0, -1},
	{SYS_pwritev2, VFS_WRITE, -1, 0, -1},
	{SYS_sendfile, VFS_READ, 1, 0, -1},
	{SYS_copy_file_range, VFS_READ, 0, 2, -1},
	{SYS_splice, VFS_READ, 0, 2, -1},
	{SYS_tee, VFS_READ, 0, 1, -1},
	{SYS_vmsplice, VFS_WRITE, -1, 0, -1},
	{SYS_fsync, VFS_SYNC, 0, -1, -1},
	{SYS_fdatasync, VFS_SYNC, 0, -1, -1},
	{SYS_sync_file_range, VFS_SYNC, 0, -1, -1},
	{SYS_syncfs, VFS_SYNC, 0, -1, -1},
	{SYS_open, VFS_OPEN, -1, -1, 0},
	{SYS_creat, VFS_OPEN, -1, -1, 0},
	{SYS_openat, VFS_OPEN, -1, -1, 1},
	{SYS_openat2, VFS_OPEN, -1, -1, 1},
	{SYS_getdents64, VFS_LIST, 0, -1, -1},
	{VFS_URING + IORING_OP_READV, VFS_READ, 0, -1, -1},
	{VFS_URING + IORING_OP_READ_FIXED, VFS_READ, 0, -1, -1},
	{VFS_URING + IORING_OP_READ, VFS_READ, 0, -1, -1},
	{VFS_URING + IORING_OP_WRITEV, VFS_WRITE, -1, 0, -1},
	{VFS_URING + IORING_OP_WRITE_FIXED, VFS_WRITE, -1, 0, -1},
	{VFS_URING + IORING_OP_WRITE, VFS_WRITE, -1, 0, -1},
	/* the request knows only the file that is written */
	{VFS_URING + IORING_OP_SPLICE, VFS_WRITE, -1, 0, -1},
	{VFS_URING + IORING_OP_TEE, VFS_WRITE, -1, 0, -1},
	{VFS_URING + IORING_OP_FSYNC, VFS_SYNC, 0, -1, -1},
	{VFS_URING + IORING_OP_SYNC_FILE_RANGE, VFS_SYNC, 0, -1, -1},
	{VFS_URING + IORING_OP_OPENAT, VFS_OPEN, -1, -1, -1},
	{VFS_URING + IORING_OP_OPENAT2, VFS_OPEN, -1, -1, -1},
};

_Static_assert(ARRAY_LEN(calls) <= 1 << IO_CALL_BITS, "each call has a number in rows");

static const char *const uring_names[] = {
	[IORING_OP_READV] = "io_uring_readv",
	[IORING_OP_WRITEV] = "io_uring_writev",
	[IORING_OP_FSYNC] = "io_uring_fsync",
	[IORING_OP_READ_FIXED] = "io_uring_read_fixed",
	[IORING_OP_WRITE_FIXED] = "io_uring_write_fixed",
	[IORING_OP_SYNC_FILE_RANGE] = "io_uring_sync_file_range",
	[IORING_OP_OPENAT] = "io_uring_openat",
	[IORING_OP_READ] = "io_uring_read",
	[IORING_OP_WRITE] = "io_uring_write",
	[IORING_OP_OPENAT2] = "io_uring_openat2",
	[IORING_OP_SPLICE] = "io_uring_splice",
	[IORING_OP_TEE] = "io_uring_tee",
};

static const char *call_name(const struct io_call *call)
{
	return call->number < VFS_URING ? syscall_name(call->number, false)
					: uring_names[call->number - VFS_URING];
}

/* Data of a recording. */
struct vfs_run {
	int names; /* map */
};

static bool is_needed(const struct engine_request *request, const char *program)
{
	bool is_new = features_tracepoint("io_uring_submit_req", 1);

	(void)request;
	if (!strcmp(program, "on_submit"))
		return is_new;
	if (!strcmp(program, "old_submit"))
		return !is_new && features_io_uring();
	return strcmp(program, "on_complete") != 0 || features_io_uring();
}

static void begin(struct tool_run *run)
{
	run->data = xcalloc(1, sizeof(struct vfs_run));
	run->drain->events[ROW_TIME] = samples_event(
		run->drain->samples, &(struct sample_event){"time", "ns", "monotonic", 0, 1});
}

static void release(struct tool_run *run)
{
	free(run->data);
}

/* Returns what is recorded of call I. */
static struct vfs_call choose(size_t i, uint64_t wanted)
{
	const struct io_call *from = &calls[i];
	struct vfs_call call = {
		true, (uint8_t)i, (uint8_t)from->op, from->from, from->to, from->path, {0}};

	if (call.from >= 0 && call.to >= 0 && !(wanted >> VFS_READ & 1)) {
		call.from = -1;
		call.op = VFS_WRITE;
	}
	if (call.from >= 0 && call.to >= 0 && !(wanted >> VFS_WRITE & 1))
		call.to = -1;
	call.is_recorded = wanted >> call.op & 1;
	return call;
}

/* Returns whether NAME, the name of a call of 32-bit code, is CALL's, or is that with "64" added.
 */
static bool is_call(const char *name, const struct io_call *call)
{
	const char *ours = call_name(call);
	size_t len = ours ? strlen(ours) : 0;

	return name && ours && !strncmp(name, ours, len) &&
	       (!name[len] || !strcmp(name + len, "64"));
}

/* Sets what is recorded of call I, in the map (fd), with its numbers of 64-bit and 32-bit code. */
static int set_call(int map, size_t i, uint64_t wanted)
{
	struct vfs_call call = choose(i, wanted);
	int error = bpf_map_update_elem(map, &calls[i].number, &call, BPF_ANY);

	for (uint32_t number = 0; !error && number < VFS_NUMBERS; number++) {
		uint32_t at = VFS_NUMBERS + number;

		if (is_call(syscall_name(number, true), &calls[i]))
			error = bpf_map_update_elem(map, &at, &call, BPF_ANY);
	}
	return error;
}

static int attach(struct tool_run *run, struct programs *p, struct strbuf *err)
{
	uint64_t wanted = run->settings->option[VFS_OPTION_OP];
	struct vfs_run *r = run->data;
	int map = programs_map(p, "vfs_calls");

	r->names = programs_map(p, "file_names");
	for (size_t i = 0; i < ARRAY_LEN(calls); i++)
		if (set_call(map, i, wanted)) {
			int error = errno;

			strbuf_adds(err, "cannot choose the system calls");
			return refusal_add(err, error);
		}
	return 0;
}

static uint32_t labels(struct tool_run *run, uint32_t value)
{
	const struct io_call *call = &calls[(value & (IO_TO - 1)) % ARRAY_LEN(calls)];
	uint32_t error = value >> IO_ERROR_SHIFT & IO_ERROR_MAX;
	const struct vfs_run *r = run->data;
	struct samples *s = run->drain->samples;
	uint32_t set = samples_label(s, 0, "op", ops[value & IO_TO ? VFS_WRITE : call->op]);
	char other[ERROR_NAME_LEN];

	set = samples_label(s, set, "syscall", call_name(call));
	if (error)
		set = samples_label(s, set, "error", error_name(error, other));
	return file_labels_add(s, set, "path", r->names, value >> IO_FILE_SHIFT);
}

const struct bpf_tool vfs_tool = {
	.program = "vfs",
	.object = &vfs_object,
	.plain_object = &vfs_plain_object,
	.is_needed = is_needed,
	.begin = begin,
	.attach = attach,
	.labels = labels,
	.release = release,
};
