/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * files [wait] FOLDER N [old]: makes system calls whose numbers, bytes and errors are known, after
 * SIGUSR1 with wait. fill() writes 100 bytes N times to FOLDER/out, scan() reads them again, 50 at
 * a time, scatter() writes 2 * 30 bytes N times to FOLDER/vector with writev(2), place() 20 bytes N
 * times with pwrite(2), copy() copies FOLDER/out with sendfile(2) and with copy_file_range(2) in
 * one call each, fail() opens a missing file N times and reads from descriptor -1, nap() sleeps
 * 2 ms N times, a thread calls getppid() N times in lonely(), and a child writes 10 bytes N times
 * in spawn(). Prints "io READ WRITTEN" with the bytes of /proc/self/io since the start. With old,
 * only old() runs, which calls getpid() N times as 32-bit programs do; a kernel without their calls
 * ends it.
 */
#define _GNU_SOURCE
#include "await_signal.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char bytes[100];
static volatile long sum;
static int number;

#define CALL __attribute__((noinline)) static

static int open_file(const char *name, int flags)
{
	int fd = open(name, flags | O_CLOEXEC, 0644);

	if (fd < 0) {
		perror(name);
		exit(2);
	}
	return fd;
}

CALL void fill(void)
{
	int fd = open_file("out", O_WRONLY | O_CREAT | O_TRUNC);

	for (int i = 0; i < number; i++)
		sum += write(fd, bytes, 100);
	sum += fsync(fd) + close(fd);
}

CALL void scan(void)
{
	int fd = open_file("out", O_RDONLY);
	long n;

	while ((n = read(fd, bytes, 50)) > 0)
		sum += n;
	sum += close(fd);
}

CALL void scatter(void)
{
	const struct iovec parts[2] = {{bytes, 30}, {bytes + 30, 30}};
	int fd = open_file("vector", O_WRONLY | O_CREAT | O_TRUNC);

	for (int i = 0; i < number; i++)
		sum += writev(fd, parts, 2);
	sum += close(fd);
}

CALL void place(void)
{
	int fd = open_file("vector", O_WRONLY);

	for (int i = 0; i < number; i++)
		sum += pwrite(fd, bytes, 20, 20L * i);
	sum += close(fd);
}

CALL void copy(void)
{
	int from = open_file("out", O_RDONLY), to = open_file("copy", O_WRONLY | O_CREAT | O_TRUNC);
	off_t start = 0;

	sum += sendfile(to, from, &start, (size_t)(100 * number));
	start = 0;
	sum += copy_file_range(from, &start, to, NULL, (size_t)(100 * number), 0);
	sum += close(from) + close(to);
}

CALL void fail(void)
{
	for (int i = 0; i < number; i++)
		sum += open("nowhere", O_RDONLY | O_CLOEXEC);
	sum += read(-1, bytes, 10);
}

CALL void old(void)
{
	for (int i = 0; i < number; i++) {
		long result = 20; /* getpid */

		__asm__ volatile("int $0x80" : "+a"(result) : : "memory", "r8", "r9", "r10", "r11");
		sum += result;
	}
}

CALL void nap(void)
{
	for (int i = 0; i < number; i++)
		sum += nanosleep(&(struct timespec){0, 2000000}, NULL);
}

CALL void *lonely(void *arg)
{
	for (int i = 0; i < number; i++)
		sum += getppid();
	return arg;
}

CALL void spawn(void)
{
	pid_t child = fork();

	if (!child) {
		int fd = open_file("child", O_WRONLY | O_CREAT | O_TRUNC);

		for (int i = 0; i < number; i++)
			sum += write(fd, bytes, 10);
		_exit(0);
	}
	waitpid(child, NULL, 0);
}

struct io {
	unsigned long long read, written;
	ssize_t own; /* bytes that were read to know it */
};

/* Reads what the kernel has counted until now. */
static struct io count_io(void)
{
	struct io io = {0};
	char text[512];
	int fd = open_file("/proc/self/io", O_RDONLY);

	io.own = read(fd, text, sizeof(text) - 1);
	text[io.own > 0 ? io.own : 0] = '\0';
	if (sscanf(text, "rchar: %llu wchar: %llu", &io.read, &io.written) != 2)
		exit(2);
	close(fd);
	return io;
}

/* Prints the bytes since BEFORE, with all that are read and written to know and to say it. */
static void print_io(const struct io *before)
{
	struct io after = count_io();
	char line[100];
	int len = 0;

	for (int i = 0; i < 3; i++)
		len = snprintf(line, sizeof(line), "io %llu %llu\n",
			after.read - before->read + (unsigned long long)after.own,
			after.written - before->written + (unsigned long long)len);
	sum += write(STDOUT_FILENO, line, (size_t)len);
}

int main(int argc, char **argv)
{
	bool wait = argc > 1 && !strcmp(argv[1], "wait");
	struct io before;
	pthread_t thread;

	argv += wait;
	if (argc - wait < 3 || chdir(argv[1]))
		return 64;
	number = atoi(argv[2]);
	if (argc - wait > 3) {
		old();
		return 0;
	}
	if (wait)
		await_signal();
	before = count_io();
	fill();
	scan();
	scatter();
	place();
	copy();
	fail();
	nap();
	spawn();
	if (pthread_create(&thread, NULL, lonely, NULL))
		return 1;
	pthread_join(thread, NULL);
	print_io(&before);
	return 0;
}
