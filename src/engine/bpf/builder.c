/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "builder.h"
#include "lib/strbuf.h"
#include "lib/user.h"
#include "lib/util.h"
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

/* Sends a number and at most one file descriptor (FD -1: none). -1 and errno on failure. */
static int send_file(int to, uint32_t number, int fd, int flags)
{
	union {
		struct cmsghdr header;
		char space[CMSG_SPACE(sizeof(int))];
	} control = {0};
	struct iovec io = {.iov_base = &number, .iov_len = sizeof(number)};
	struct msghdr msg = {.msg_iov = &io, .msg_iovlen = 1};

	if (fd >= 0) {
		msg.msg_control = &control;
		msg.msg_controllen = sizeof(control);
		control.header.cmsg_level = SOL_SOCKET;
		control.header.cmsg_type = SCM_RIGHTS;
		control.header.cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(&control.header), &fd, sizeof(fd));
	}
	ssize_t n;

	do {
		n = sendmsg(to, &msg, flags | MSG_NOSIGNAL);
	} while (n < 0 && errno == EINTR);
	return n == sizeof(number) ? 0 : -1;
}

/* 1: a message, *FD is -1 if it had no file; 0: none is ready; -1: the other end is closed. */
static int receive_file(int from, uint32_t *number, int *fd, int flags)
{
	union {
		struct cmsghdr header;
		char space[CMSG_SPACE(sizeof(int))];
	} control = {0};
	struct iovec io = {.iov_base = number, .iov_len = sizeof(*number)};
	struct msghdr msg = {.msg_iov = &io,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control)};
	ssize_t n;

	do {
		n = recvmsg(from, &msg, flags | MSG_CMSG_CLOEXEC);
	} while (n < 0 && errno == EINTR);
	*fd = -1;
	if (n < 0 && errno == EAGAIN)
		return 0;
	if (n != sizeof(*number))
		return -1;
	const struct cmsghdr *c = CMSG_FIRSTHDR(&msg);

	if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS &&
		c->cmsg_len == CMSG_LEN(sizeof(int)))
		memcpy(fd, CMSG_DATA(c), sizeof(*fd));
	return 1;
}

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
	while (receive_file(socket, &number, &fd, 0) > 0) {
		int table = fd < 0 ? -1 : build(fd);

		if (send_file(socket, number, table, 0))
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
	if (send_file(b->socket, number, fd, MSG_DONTWAIT))
		return errno == EAGAIN || errno == ETOOMANYREFS ? 1 : -1;
	b->nr_requests++;
	return 0;
}

bool builder_receive(struct builder *b, uint32_t *number, int *fd)
{
	int received;

	if (b->socket < 0)
		return false;
	received = receive_file(b->socket, number, fd, MSG_DONTWAIT);
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
