/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * disk [wait] FOLDER N: makes N requests of each kind to the block device FOLDER/disk, after
 * SIGUSR1 with wait. store() writes 8 KiB per request and fetch() reads 4 KiB, both without the
 * page cache; settle() flushes; and overflow() writes 4 KiB beyond the first 4 MiB, where the
 * device may have no room. discard() discards 1 MiB. Prints what the kernel has counted for the
 * device meanwhile: how many requests read, discarded and flushed, and the sectors that were read,
 * written and discarded.
 */
#define _GNU_SOURCE
#include "await_signal.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

enum { BLOCK = 4096, ROOM = 4 << 20, DISCARDED = 1 << 20 };

#define CALL __attribute__((noinline)) static

static char buffer[2 * BLOCK] __attribute__((aligned(BLOCK)));
static volatile long sum;
static long number;
static int disk;

CALL void store(void)
{
	for (long i = 0; i < number; i++)
		sum += pwrite(disk, buffer, 2 * BLOCK, i * 4 * BLOCK);
}

CALL void fetch(void)
{
	for (long i = 0; i < number; i++)
		sum += pread(disk, buffer, BLOCK, i * 4 * BLOCK);
}

CALL void settle(void)
{
	for (long i = 0; i < number; i++)
		sum += fdatasync(disk);
}

CALL void overflow(void)
{
	for (long i = 0; i < number; i++)
		sum += pwrite(disk, buffer, BLOCK, ROOM + i * 2 * BLOCK);
}

CALL void discard(void)
{
	sum += ioctl(disk, BLKDISCARD, (uint64_t[]){0, DISCARDED});
}

enum { STATISTICS = 17 };

static void read_statistics(long values[STATISTICS])
{
	struct stat st;
	char path[64];
	FILE *f;

	fstat(disk, &st);
	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/stat", major(st.st_rdev),
		minor(st.st_rdev));
	f = fopen(path, "re");
	for (int i = 0; f && i < STATISTICS; i++)
		sum += fscanf(f, "%ld", &values[i]);
	if (f)
		fclose(f);
}

static void print_statistics(const long before[STATISTICS])
{
	static const int shown[] = {0, 11, 15, 2, 6, 13};
	long now[STATISTICS] = {0};

	read_statistics(now);
	printf("statistics");
	for (size_t i = 0; i < sizeof(shown) / sizeof(*shown); i++)
		printf(" %ld", now[shown[i]] - before[shown[i]]);
	putchar('\n');
}

int main(int argc, char **argv)
{
	bool wait = argc > 1 && !strcmp(argv[1], "wait");
	long before[STATISTICS] = {0};

	argv += wait;
	if (argc - wait != 3 || chdir(argv[1]))
		return 64;
	number = atol(argv[2]);
	disk = open("disk", O_RDWR | O_DIRECT | O_CLOEXEC);
	if (disk < 0 || flock(disk, LOCK_EX)) /* udev does not read a disk that is locked */
		return 2;
	if (wait)
		await_signal();
	read_statistics(before);
	store();
	fetch();
	settle();
	overflow();
	discard();
	print_statistics(before);
	return 0;
}
