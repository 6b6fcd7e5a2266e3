/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "top_run.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "top.h"
#include "top_load.h"
#include "top_screen.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

struct viewer {
	struct top top;
	struct top_load load;
	int socket;       /* or -1 when the recorder sends no more */
	int next;         /* a recording that came while the screen was frozen, or -1 */
	bool is_open;     /* has the terminal */
	bool ended, over; /* the recording; the viewer */
};

static volatile sig_atomic_t stopped;

static void on_signal(int sig)
{
	(void)sig;
	stopped = 1;
}

/*
 * Ctrl-C goes to the recorder, too, which then closes the socket. After a kill of the recorder, the
 * viewer may be in the background when it restores the terminal.
 */
static void catch_signals(void)
{
	struct sigaction stop = {.sa_handler = on_signal}, ignore = {.sa_handler = SIG_IGN};

	sigaction(SIGTERM, &stop, NULL);
	sigaction(SIGHUP, &stop, NULL);
	sigaction(SIGINT, &stop, NULL);
	sigaction(SIGTTOU, &ignore, NULL);
}

static void ask_for_next(const struct viewer *v)
{
	if (v->socket >= 0 && send(v->socket, "n", 1, MSG_NOSIGNAL) < 0)
		return; /* the end of the recorder is noticed by recvmsg() */
}

/* Returns the file descriptor that came with the message, or -1. */
static int received_fd(struct msghdr *message)
{
	struct cmsghdr *c = CMSG_FIRSTHDR(message);
	int fd = -1;

	if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS &&
		c->cmsg_len == CMSG_LEN(sizeof(fd)))
		memcpy(&fd, CMSG_DATA(c), sizeof(fd));
	return fd;
}

/* Receives a message. Returns its recording, or -1 with `over` if the recorder has gone. */
static int receive(struct viewer *v)
{
	struct top_message m = {0};
	struct iovec text = {&m, sizeof(m)};
	union {
		struct cmsghdr head;
		char space[CMSG_SPACE(sizeof(int))];
	} control;
	struct msghdr message = {.msg_iov = &text,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control)};
	ssize_t n = recvmsg(v->socket, &message, MSG_CMSG_CLOEXEC);

	if (n != sizeof(m)) {
		v->over = n >= 0 || errno != EINTR;
		return -1;
	}
	v->ended = m.is_last;
	return received_fd(&message);
}

static void draw(struct viewer *v)
{
	if (v->is_open)
		top_screen_draw(&v->top, &v->load, v->ended ? "the recording has ended" : NULL);
}

static int show(struct viewer *v, struct strbuf *err)
{
	if (!v->is_open && top_screen_open(err))
		return -1;
	v->is_open = true;
	if (top_load_show(&v->load, &v->top, &v->top.message))
		return 0; /* the message says why */
	return 0;
}

/* Takes what the recorder sends. Asks for more when that is drawn. */
static int take_message(struct viewer *v, struct strbuf *err)
{
	int fd = receive(v), ret = 0;

	if (fd < 0)
		return 0;
	if (v->top.frozen && v->is_open) {
		if (v->next >= 0)
			close(v->next);
		v->next = fd;
	} else {
		top_load_take(&v->load, fd);
		ret = show(v, err);
	}
	draw(v);
	if (!v->top.frozen)
		ask_for_next(v);
	return ret;
}

/* Goes on with what came while the screen was frozen. */
static void thaw(struct viewer *v)
{
	if (v->next < 0)
		return;
	top_load_take(&v->load, v->next);
	v->next = -1;
	ask_for_next(v);
}

static void take_keys(struct viewer *v, struct strbuf *err)
{
	uint32_t key;

	while (!v->over && top_screen_key(&key)) {
		switch (top_press(&v->top, key)) {
		case TOP_QUIT:
			v->over = true;
			return;
		case TOP_FOLD:
			if (!v->top.frozen)
				thaw(v);
			show(v, err);
			break;
		case TOP_SAVE:
			top_load_save(&v->load, &v->top);
			break;
		case TOP_DRAW:
			break;
		}
		draw(v);
	}
}

/* Waits for a key or a message. */
static int step(struct viewer *v, struct strbuf *err)
{
	struct pollfd fds[] = {{.fd = v->socket, .events = POLLIN},
		{.fd = v->is_open ? STDIN_FILENO : -1, .events = POLLIN}};
	int ret = 0;

	if (poll(fds, ARRAY_LEN(fds), -1) < 0 && errno != EINTR)
		return -1;
	if (fds[0].revents)
		ret = take_message(v, err);
	if (v->is_open && (fds[1].revents & (POLLHUP | POLLERR)))
		v->over = true; /* the terminal is gone */
	if (v->is_open)
		take_keys(v, err);
	return ret;
}

/* Begins with the root frames that the command line asks for. */
static void begin(struct top *t, const struct recording_view *view)
{
	if (view->by) {
		top_add_label(t, view->by);
		t->view = TOP_LABEL;
	} else if (view->threads || view->processes) {
		t->view = view->threads ? TOP_THREADS : TOP_PROCESSES;
	}
}

int top_run(int socket, const struct top_options *options, struct strbuf *err)
{
	struct viewer v = {.socket = socket, .next = -1};
	int ret = 0;

	catch_signals();
	top_init(&v.top);
	begin(&v.top, options->view);
	top_load_init(&v.load, options);
	ask_for_next(&v);
	while (!ret && !v.over && !stopped)
		ret = step(&v, err);
	top_screen_close();
	top_release(&v.top);
	top_load_release(&v.load);
	return ret;
}
