/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * own_scripts GO FILE N: waits until the file GO exists, then sends itself N signals, touches N new
 * pages, and writes and syncs FILE N times. With "wait" for GO it waits for ever.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void sends(int n)
{
	while (n--)
		raise(SIGUSR1);
}

static void touches(int n)
{
	char *pages = mmap(
		NULL, (size_t)n * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	while (pages != MAP_FAILED && n--)
		pages[n * 4096L] = 1;
}

static void syncs(const char *path, int n)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	while (n-- && write(fd, "x", 1) == 1)
		fsync(fd);
	close(fd);
}

int main(int argc, char **argv)
{
	if (argc != 4)
		return 64;
	signal(SIGUSR1, SIG_IGN);
	while (access(argv[1], F_OK))
		usleep(20000);
	sends(atoi(argv[3]));
	touches(atoi(argv[3]));
	syncs(argv[2], atoi(argv[3]));
	return 0;
}
