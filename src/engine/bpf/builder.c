/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "builder.h"
#include "lib/strbuf.h"
#include "lib/user.h"
#include "lib/util.h"
#include "process/fdpass.h"
#include "symbol/elf/elffile.h"
#include "unwind/unwind_build.h"
#include "unwind/unwind_table.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { QUEUE = 1 << 20 };
/* So that a builder that a hostile file has taken over cannot change a table once validated. */
enum { SEALS = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL };

/* Closes FD. A memfd with the table, -1: it has none. */
static int build(int fd)
{
	struct elffile *elf = elffile_open_fd(fd, NULL);
	struct unwind_table table = {0};
	int out = -1;

	if (elf && !unwind_build(&table, elf, NULL)) {
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

static __attribute__((noreturn)) void serve(int socket)
{
	uint32_t number;
	int fd;

	/* on Ctrl-C the recorder may still need tables; it kills this process */
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	setpriority(PRIO_PROCESS, 0, -10); /* stacks are copied until their tables are built */
	setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
	if (!user_become_nobody())
		_exit(EXIT_FAILED);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (fdpass_receive(socket, &number, &fd, 0) > 0) {
		int table = fd < 0 ? -1 : build(fd);

		if (fdpass_send(socket, number, table, 0))
			break;
		if (table >= 0)
			close(table);
	}
	_exit(EXIT_OK);
}

void builder_start(struct builder *b)
{
	int pair[2], size = QUEUE;

	*b = (struct builder){.socket = -1};
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return;
	setsockopt(pair[0], SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
	b->pid = fork();
	if (!b->pid) {
		close(pair[0]);
		serve(pair[1]);
	}
	close(pair[1]);
	if (b->pid > 0)
		b->socket = pair[0];
	else
		close(pair[0]);
}

void builder_stop(struct builder *b)
{
	if (b->socket < 0)
		return;
	close(b->socket);
	b->socket = -1;
	kill(b->pid, SIGKILL);
	waitpid(b->pid, NULL, 0);
}

int builder_request(struct builder *b, uint32_t number, int fd)
{
	if (b->socket < 0)
		return -1;
	if (fdpass_send(b->socket, number, fd, MSG_DONTWAIT))
		return errno == EAGAIN || errno == ETOOMANYREFS ? 1 : -1;
	b->nr_requests++;
	return 0;
}

bool builder_receive(struct builder *b, uint32_t *number, int *fd)
{
	int received;

	if (b->socket < 0)
		return false;
	received = fdpass_receive(b->socket, number, fd, MSG_DONTWAIT);
	if (received < 0)
		builder_stop(b);
	if (received <= 0)
		return false;
	b->nr_requests -= b->nr_requests > 0; /* a hijacked builder may send anything */
	if (*fd >= 0 && fcntl(*fd, F_GET_SEALS) != SEALS) {
		close(*fd);
		*fd = -1;
	}
	return true;
}
