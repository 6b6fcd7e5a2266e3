/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "builder.h"
#include "lib/strbuf.h"
#include "lib/untrusted/child.h"
#include "lib/untrusted/fdpass.h"
#include "lib/untrusted/sandbox.h"
#include "lib/util.h"
#include "symbol/elf/elffile.h"
#include "runtime/native.h"
#include "unwind/unwind_build.h"
#include "unwind/unwind_table.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	MEMORY = 512 << 20, /* bytes; the table of libLLVM takes 20 MB, of chromium 40 MB */
	TABLE_MAX = 256 << 20,
	OPEN_FILES = 16,
	EXIT_HOPELESS = 3,
};

/* Processor time, for one file and for all files, that may be used with a high priority. */
static const int64_t hurry_file_ns = 500000000, hurry_ns = 3000000000;

/*
 * Prevents a builder that a hostile file has taken over from changing a table after its validation.
 */
enum { SEALS = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL };

/*
 * Builds the table of the file FD, which it closes. Returns a memfd with the table, or -1 if there
 * is none.
 */
static int build(int fd, bool analysed)
{
	struct elffile *elf = elffile_open_fd(fd, NULL);
	struct unwind_table table = {0};
	int out = -1;

	if (elf && !unwind_build(&table, elf, native_sources, analysed, NULL)) {
		out = memfd_create("unwind", MFD_CLOEXEC | MFD_ALLOW_SEALING);
		if (out >= 0 && write_whole(out, table.blocks, table.size)) {
			close(out);
			out = -1;
		}
		if (out >= 0)
			fcntl(out, F_ADD_SEALS, SEALS);
		unwind_table_release(&table);
	}
	elffile_close(elf);
	return out;
}

static __attribute__((noreturn)) void serve(int socket, bool hurries)
{
	const struct sandbox sandbox = {
		.memory = MEMORY,
		.file_size = TABLE_MAX,
		.open_files = OPEN_FILES,
		.nice = hurries ? -10 : 0, /* stacks are copied until their tables are built */
		.no_files = true,
	};
	uint32_t number;
	int fd;

	/* on Ctrl-C the recorder may still need tables; it kills this process */
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	socket = sandbox_detach(socket);
	if (!sandbox_enter(&sandbox))
		_exit(EXIT_HOPELESS);
	while (fdpass_receive(socket, &number, &fd, 0) > 0) {
		bool analysed = number & BUILDER_ANALYSED;
		int table = fd < 0 ? -1 : build(fd, analysed);

		if (fdpass_send(socket, number & ~(uint32_t)BUILDER_ANALYSED, table, 0))
			break;
		if (table >= 0)
			close(table);
	}
	_exit(EXIT_OK);
}

void builder_start(struct builder *b, bool hurries)
{
	int pair[2];

	*b = (struct builder){.socket = -1, .hurries = hurries};
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return;
	b->pid = fork();
	if (!b->pid)
		serve(pair[1], hurries);
	close(pair[1]);
	if (b->pid > 0)
		b->socket = pair[0];
	else
		close(pair[0]);
}

void builder_stop(struct builder *b)
{
	int status = 0;

	if (b->socket < 0)
		return;
	close(b->socket);
	b->socket = -1;
	b->signalled = child_is_signalled(b->pid);
	b->hopeless = child_end(b->pid, &status) && WIFEXITED(status) &&
		      WEXITSTATUS(status) == EXIT_HOPELESS;
}

/* Notes when work on the first request begins. */
static void begin(struct builder *b)
{
	b->began_ns = monotonic_ns();
	b->began_cpu_ns = child_cpu_ns(b->pid);
}

int builder_request(struct builder *b, uint32_t number, int fd, bool analysed)
{
	if (b->socket < 0)
		return -1;
	if (b->nr_requests == BUILDER_DEPTH)
		return 1;
	if (fdpass_send(b->socket, number | (analysed ? BUILDER_ANALYSED : 0), fd, MSG_DONTWAIT))
		return errno == EAGAIN || errno == ETOOMANYREFS ? 1 : -1;
	b->requests[b->nr_requests++] = number;
	if (b->nr_requests == 1)
		begin(b);
	return 0;
}

bool builder_receive(struct builder *b, uint32_t *number, int *fd)
{
	int received;

	if (b->socket < 0)
		return false;
	received = fdpass_receive(b->socket, number, fd, MSG_DONTWAIT);
	if (!received)
		return false;
	/* a hijacked builder may send anything */
	if (received < 0 || !b->nr_requests || *number != b->requests[0]) {
		if (received > 0 && *fd >= 0)
			close(*fd);
		if (received < 0)
			child_await(b->pid);
		builder_stop(b);
		return false;
	}
	b->nr_requests--;
	memmove(b->requests, b->requests + 1, b->nr_requests * sizeof(*b->requests));
	b->busy_ns += child_cpu_ns(b->pid) - b->began_cpu_ns;
	begin(b);
	if (*fd >= 0 && fcntl(*fd, F_GET_SEALS) != SEALS) {
		close(*fd);
		*fd = -1;
	}
	return true;
}

bool builder_is_late(struct builder *b, int64_t limit_ns)
{
	if (b->socket < 0 || !b->nr_requests)
		return false;

	int64_t used_ns = child_cpu_ns(b->pid) - b->began_cpu_ns;

	if (b->hurries && (used_ns > hurry_file_ns || b->busy_ns + used_ns > hurry_ns)) {
		setpriority(PRIO_PROCESS, (id_t)b->pid, 0);
		b->hurries = false;
	}
	return used_ns > limit_ns || monotonic_ns() - b->began_ns > 10 * limit_ns ||
	       child_is_signalled(b->pid);
}
