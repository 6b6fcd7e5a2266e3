/* SPDX-License-Identifier: GPL-2.0-or-later */
/* opened FILE…: prints "watching", and then each of the FILEs when a process opens it, until it is
 * killed. */
#include <stdio.h>
#include <sys/inotify.h>
#include <unistd.h>

enum { FILES_MAX = 64 };

int main(int argc, char **argv)
{
	_Alignas(struct inotify_event) char buf[4096];
	int fd = inotify_init(), watches[FILES_MAX];
	ssize_t n;

	if (fd < 0 || argc > FILES_MAX)
		return 64;
	for (int i = 1; i < argc; i++)
		if ((watches[i] = inotify_add_watch(fd, argv[i], IN_OPEN)) < 0) {
			perror(argv[i]);
			return 1;
		}
	puts("watching");
	fflush(stdout);
	while ((n = read(fd, buf, sizeof(buf))) > 0)
		for (char *at = buf; at < buf + n;) {
			const struct inotify_event *event = (const void *)at;

			for (int i = 1; i < argc; i++)
				if (watches[i] == event->wd)
					puts(argv[i]);
			fflush(stdout);
			at += sizeof(*event) + event->len;
		}
	return 1;
}
