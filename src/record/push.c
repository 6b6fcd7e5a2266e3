/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "push.h"
#include "input/fleet_program.h"
#include "lib/program.h"
#include "lib/strbuf.h"
#include "lib/util.h"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	SHORT_S = 60, /* it ended too early */
	WAIT_MAX_S = 300,
};

static int start(struct push *p, struct strbuf *err)
{
	p->began_ns = monotonic_ns();
	if (!fleet_program_send(p->url, p->folder, &p->pid, &p->pipe, err))
		return 0;
	p->pid = 0;
	return -1;
}

int push_begin(struct push *p, const char *url, const char *folder, struct strbuf *err)
{
	*p = (struct push){.url = url, .folder = folder};
	return start(p, err);
}

static void say_end(const struct push *p, int status)
{
	struct strbuf how = STRBUF_INIT, when = STRBUF_INIT;

	if (WIFSIGNALED(status))
		strbuf_addf(&how, "was killed by signal %d (%s)", WTERMSIG(status),
			strsignal(WTERMSIG(status)));
	else
		strbuf_addf(&how, "ended with exit code %d", WEXITSTATUS(status));
	if (p->wait_s)
		strbuf_addf(&when, "in %u s", p->wait_s);
	else
		strbuf_adds(&when, "now");
	program_say("bt-fleet %s: it is started again %s; windows wait in '%s'", how.buf, when.buf,
		p->folder);
	strbuf_release(&how);
	strbuf_release(&when);
}

/* Notes that it has ended, and when it may be started again. */
static void note_end(struct push *p, int status)
{
	int64_t now = monotonic_ns();
	bool is_short = now - p->began_ns < SHORT_S * 1000000000LL;
	unsigned longer = p->wait_s ? 2 * p->wait_s : 1;

	close(p->pipe);
	p->pid = 0;
	p->wait_s = !is_short ? 0 : longer < WAIT_MAX_S ? longer : WAIT_MAX_S;
	p->not_before_ns = now + p->wait_s * 1000000000LL;
	say_end(p, status);
}

/* Starts it again. It may be missing for a moment, as its package is being replaced. */
static void start_again(struct push *p)
{
	struct strbuf err = STRBUF_INIT;

	if (start(p, &err)) {
		p->wait_s = WAIT_MAX_S;
		p->not_before_ns = monotonic_ns() + p->wait_s * 1000000000LL;
	}
	program_say_rest(&err);
}

void push_watch(struct push *p)
{
	int status;

	if (!p->url)
		return;
	if (p->pid && waitpid(p->pid, &status, WNOHANG) == p->pid)
		note_end(p, status);
	if (!p->pid && monotonic_ns() >= p->not_before_ns)
		start_again(p);
}

bool push_end(struct push *p)
{
	if (!p->url)
		return true;
	push_watch(p);
	if (!p->pid)
		start_again(p);
	if (!p->pid)
		return false;
	close(p->pipe);
	return !fleet_program_end(p->pid);
}
