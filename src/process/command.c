/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "command.h"
#include "lib/program.h"
#include "lib/strbuf.h"
#include "lib/user.h"
#include "lib/util.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static bool is_program(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode) && !access(path, X_OK);
}

/* Returns the path of NAME as a shell finds it, or NULL if it is not found. */
static char *find_program(const char *name)
{
	const char *path = getenv("PATH");

	if (strchr(name, '/'))
		return is_program(name) ? realpath(name, NULL) : NULL;
	for (; path && *path; path += strcspn(path, ":"), path += *path == ':') {
		char *file = xasprintf("%.*s/%s", (int)strcspn(path, ":"), path, name);

		if (is_program(file))
			return file;
		free(file);
	}
	return NULL;
}

static void wait_and_run(const struct command *c, char *const argv[], char *const variables[])
{
	struct strbuf err = STRBUF_INIT;
	const char *slash = strrchr(c->path, '/');
	char byte;

	prctl(PR_SET_NAME, slash ? slash + 1 : c->path);
	prctl(PR_SET_PDEATHSIG, SIGKILL); /* a change of user clears it; then EOF ends the child */
	if (user_drop_privileges(&err)) {
		dprintf(2, "%s\n", err.buf);
		_exit(126);
	}
	signal(SIGPIPE, SIG_DFL);
	program_restore_stack_limit();
	for (size_t i = 0; variables && variables[i]; i++)
		putenv(variables[i]);
	ssize_t n;

	do
		n = read(c->gate, &byte, 1);
	while (n < 0 && errno == EINTR);
	if (n != 1)
		_exit(126); /* the recorder exited */
	prctl(PR_SET_PDEATHSIG, 0);
	execv(c->path, argv);
	dprintf(2, "cannot run '%s': %s\n", c->path, strerror(errno));
	_exit(126);
}

int command_start(
	struct command *c, char *const argv[], char *const variables[], struct strbuf *err)
{
	int gate[2];

	*c = (struct command){.gate = -1, .path = find_program(argv[0])};
	if (!c->path)
		return fail(err, "cannot find the program '%s'", argv[0]);
	if (pipe2(gate, O_CLOEXEC))
		return fail(err, "cannot make a pipe: %s", strerror(errno));
	fflush(NULL);
	c->pid = fork();
	if (!c->pid) {
		close(gate[1]);
		c->gate = gate[0];
		wait_and_run(c, argv, variables);
	}
	close(gate[0]);
	c->gate = gate[1];
	return c->pid < 0 ? fail(err, "cannot fork: %s", strerror(errno)) : 0;
}

void command_go(struct command *c)
{
	if (c->gate < 0)
		return;
	if (write(c->gate, "g", 1) != 1)
		kill(c->pid, SIGKILL);
	close(c->gate);
	c->gate = -1;
}

bool command_ended(struct command *c)
{
	if (!c->ended && waitpid(c->pid, &c->status, WNOHANG) == c->pid)
		c->ended = true;
	return c->ended;
}

int command_exit_code(const struct command *c)
{
	return WIFSIGNALED(c->status) ? 128 + WTERMSIG(c->status) : WEXITSTATUS(c->status);
}

void command_release(struct command *c)
{
	if (c->gate >= 0) {
		close(c->gate); /* the child reads EOF and exits */
		if (c->pid > 0 && !c->ended)
			waitpid(c->pid, &c->status, 0);
	}
	free(c->path);
	*c = (struct command){.gate = -1};
}
