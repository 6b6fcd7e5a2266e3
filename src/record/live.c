/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live.h"
#include "lib/program.h"
#include "lib/strbuf.h"
#include "lib/user.h"
#include "lib/util.h"
#include "options.h"
#include "top/top_load.h"
#include "top/top_run.h"
#include "top/top_screen.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static __attribute__((noreturn)) void view(const struct options *o, int socket)
{
	struct strbuf err = STRBUF_INIT;
	const struct top_options options = {&o->view, &o->symbol, o->skid};
	int ret = user_drop_privileges(&err) || top_run(socket, &options, &err);

	program_say_rest(&err);
	_exit(ret ? EXIT_FAILED : EXIT_OK);
}

/* Takes the bytes with which the viewer asks for recordings. */
static enum live_state ask(struct session_live *session)
{
	struct live *live = (struct live *)session;
	char byte;
	ssize_t n = live->is_gone ? 0 : recv(live->socket, &byte, 1, MSG_DONTWAIT);

	if (n > 0)
		live->is_ready = true;
	else if (!n || (errno != EAGAIN && errno != EINTR))
		live->is_gone = true;
	return live->is_gone ? LIVE_GONE : live->is_ready ? LIVE_READY : LIVE_BUSY;
}

/* Returns the file descriptor of REC as text, or -1. */
static int write_recording(const struct recording *rec)
{
	int fd = memfd_create("flametap", MFD_CLOEXEC);
	int copy = fd < 0 ? -1 : dup(fd);
	FILE *out = copy < 0 ? NULL : fdopen(copy, "w");

	if (!out || recording_write(rec, out, NULL) | fclose(out)) {
		if (fd >= 0)
			close(fd);
		return -1;
	}
	return fd;
}

static void send_recording(struct live *live, const struct recording *rec, bool is_last)
{
	int fd = write_recording(rec);
	struct top_message m = {is_last};
	struct iovec text = {&m, sizeof(m)};
	union {
		struct cmsghdr head;
		char space[CMSG_SPACE(sizeof(int))];
	} control = {.head = {.cmsg_len = CMSG_LEN(sizeof(fd)),
			     .cmsg_level = SOL_SOCKET,
			     .cmsg_type = SCM_RIGHTS}};
	const struct msghdr message = {.msg_iov = &text,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control)};

	if (fd < 0)
		return; /* the next one may be written */
	memcpy(CMSG_DATA(&control.head), &fd, sizeof(fd));
	if (sendmsg(live->socket, &message, MSG_NOSIGNAL) < 0)
		live->is_gone = true;
	close(fd);
	live->is_ready = false;
}

static void show(struct session_live *session, const struct recording *rec)
{
	send_recording((struct live *)session, rec, false);
}

/* A command that would write to the terminal writes to /dev/null, until restore_streams(). */
static void hide_streams(struct live *live)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (int i = 0; null >= 0 && i < LIVE_STREAMS; i++)
		if (isatty(i)) {
			live->streams[i] = fcntl(i, F_DUPFD_CLOEXEC, LIVE_STREAMS);
			dup2(null, i);
		}
	if (null >= 0)
		close(null);
}

static void restore_streams(struct live *live)
{
	for (int i = 0; i < LIVE_STREAMS; i++)
		if (live->streams[i] >= 0) {
			dup2(live->streams[i], i);
			close(live->streams[i]);
		}
}

int live_start(struct live *live, struct options *o, struct strbuf *err)
{
	int sockets[2];

	*live = (struct live){.session = {1.0, ask, show}, .streams = {-1, -1, -1}};
	if (tcgetattr(STDIN_FILENO, &live->terminal) ||
		socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets))
		return fail(err, "--live: cannot use the terminal: %s\n", strerror(errno));
	fflush(NULL);
	live->viewer = fork();
	if (live->viewer < 0)
		return fail(err, "--live: cannot start the process that shows it: %s\n",
			strerror(errno));
	close(sockets[live->viewer != 0]);
	live->socket = sockets[live->viewer == 0];
	if (!live->viewer)
		view(o, live->socket);
	o->session.live = &live->session;
	if (o->session.command)
		hide_streams(live);
	return 0;
}

/* Waits for the end of the viewer, which a signal to us brings about. Returns its status. */
static int wait_for_viewer(struct live *live)
{
	int status;

	while (waitpid(live->viewer, &status, 0) < 0) {
		if (errno != EINTR)
			return 0;
		shutdown(live->socket, SHUT_RDWR);
	}
	return status;
}

int live_end(struct live *live, const struct recording *rec, bool stay)
{
	if (stay && !live->is_gone)
		send_recording(live, rec, true);
	else
		shutdown(live->socket, SHUT_RDWR);
	int status = wait_for_viewer(live);

	close(live->socket);
	restore_streams(live);
	if (WIFSIGNALED(status)) {
		top_screen_restore(&live->terminal);
		program_say("--live: the process that shows it was ended by signal %d (%s)",
			WTERMSIG(status), strsignal(WTERMSIG(status)));
	}
	return WIFEXITED(status) && WEXITSTATUS(status) == EXIT_OK ? 0 : -1;
}
