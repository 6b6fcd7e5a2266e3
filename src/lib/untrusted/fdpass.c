/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fdpass.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

int fdpass_send(int to, uint32_t number, int fd, int flags)
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

int fdpass_receive(int from, uint32_t *number, int *fd, int flags)
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
