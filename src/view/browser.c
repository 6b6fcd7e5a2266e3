/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "browser.h"
#include "lib/argv.h"
#include "lib/program.h"
#include "lib/util.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Starts a program in a session of its own, so that Ctrl-C in this terminal does not end it. */
static bool start(char *const argv[])
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attributes;
	sigset_t signals;
	pid_t pid;

	sigemptyset(&signals);
	sigaddset(&signals, SIGPIPE);
	posix_spawn_file_actions_init(&files);
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		posix_spawn_file_actions_addopen(&files, fd, "/dev/null", O_RDWR, 0);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setsigdefault(&attributes, &signals);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGDEF);
	int error = posix_spawnp(&pid, argv[0], &files, &attributes, argv, environ);

	posix_spawn_file_actions_destroy(&files);
	posix_spawnattr_destroy(&attributes);
	return !error;
}

/* Returns WORD with PATH for its first %s. Sets *USED if there is one. */
static char *word_with(const char *word, size_t len, const char *path, bool *used)
{
	char *copy = xstrndup(word, len), *mark = strstr(copy, "%s");

	if (!mark)
		return copy;
	char *with = xasprintf("%.*s%s%s", (int)(mark - copy), copy, path, mark + 2);

	free(copy);
	*used = true;
	return with;
}

/* Starts one command of $BROWSER. The command has LEN bytes. */
static bool start_command(const char *command, size_t len, const char *path)
{
	const char *end = command + len;
	struct argv argv = {0};
	bool used = false, started;

	for (const char *s = command; s < end;) {
		size_t n = strcspn(s, " \t:");

		if (n)
			argv_add(&argv, word_with(s, n, path, &used));
		s += n + 1;
	}
	if (!used)
		argv_add(&argv, xstrdup(path));
	started = argv.nr > 1 && start(argv.words);
	if (started)
		program_say("showing it with %s", argv.words[0]);
	argv_release(&argv);
	return started;
}

static bool has_display(void)
{
	const char *x11 = getenv("DISPLAY"), *wayland = getenv("WAYLAND_DISPLAY");

	return (x11 && *x11) || (wayland && *wayland);
}

static bool start_any(const char *path)
{
	const char *list = getenv("BROWSER");

	for (const char *s = list ? list : ""; *s; s += strcspn(s, ":"), s += *s == ':')
		if (start_command(s, strcspn(s, ":"), path))
			return true;
	return has_display() && start_command("xdg-open", strlen("xdg-open"), path);
}

void browser_show(const char *path)
{
	char *whole = realpath(path, NULL);

	if (!start_any(whole ? whole : path))
		program_say("%s to show '%s' on: open it in a browser, here or where you copy it "
			    "to, or set BROWSER",
			has_display() ? "no xdg-open" : "no display", whole ? whole : path);
	free(whole);
}
