/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuse FOLDER [read | flush | private]: mounts a FUSE file system of user nobody on FOLDER, with
 * one file, "program", which is this program. Its child runs as nobody, maps that file with execute
 * permission and is busy; its PID is printed. Then the file system accepts requests, but answers
 * none of them, or answers all except for one kind (flush is the request that closes a file). A
 * process that waits for an answer cannot even be killed until this program ends, after a quarter
 * of an hour at most. With "private" all requests are answered, but only nobody's. Needs root.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/fuse.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NOBODY = 65534, ROOT_NODE = 1, FILE_NODE = 2, REQUEST_MAX = 1 << 17, SECONDS_MAX = 900 };

static int device, silent, private;
static int unanswered; /* opcode, or 0 for all */
static char *content;
static size_t size;

static void reply(uint64_t unique, int error, const void *data, size_t len)
{
	static char out[REQUEST_MAX + 4096];
	struct fuse_out_header head = {
		.len = (uint32_t)(sizeof(head) + len), .error = -error, .unique = unique};

	memcpy(out, &head, sizeof(head));
	if (len)
		memcpy(out + sizeof(head), data, len);
	if (write(device, out, sizeof(head) + len) < 0 && errno != ENOENT)
		perror("fuse: reply");
}

static struct fuse_attr attr_of(uint64_t node)
{
	struct fuse_attr attr = {.ino = node, .mode = S_IFDIR | 0755, .nlink = 1, .blksize = 4096};

	if (node == FILE_NODE) {
		attr.mode = S_IFREG | 0755;
		attr.size = size;
	}
	attr.uid = attr.gid = NOBODY;
	return attr;
}

static void answer(const struct fuse_in_header *in, const void *arg)
{
	const struct fuse_read_in *read_in = arg;
	struct fuse_init_out init = {.major = FUSE_KERNEL_VERSION,
		.minor = FUSE_KERNEL_MINOR_VERSION,
		.max_readahead = REQUEST_MAX,
		.max_write = 4096};
	struct fuse_attr_out attr = {.attr = attr_of(in->nodeid)};
	struct fuse_entry_out entry = {.nodeid = FILE_NODE, .attr = attr_of(FILE_NODE)};
	struct fuse_open_out open_out = {.fh = 1};
	struct fuse_statfs_out statfs_out = {.st = {.bsize = 4096, .namelen = 255}};

	switch (in->opcode) {
	case FUSE_INIT:
		reply(in->unique, 0, &init, sizeof(init));
		break;
	case FUSE_GETATTR:
		reply(in->unique, 0, &attr, sizeof(attr));
		break;
	case FUSE_LOOKUP:
		if (strcmp(arg, "program"))
			reply(in->unique, ENOENT, NULL, 0);
		else
			reply(in->unique, 0, &entry, sizeof(entry));
		break;
	case FUSE_OPEN:
		if (silent && !private) /* the target's pages stay cached; reads by
					   other processes come here */
			open_out.open_flags = FOPEN_KEEP_CACHE | FOPEN_DIRECT_IO;
		reply(in->unique, 0, &open_out, sizeof(open_out));
		break;
	case FUSE_READ:
		if (read_in->offset >= size)
			reply(in->unique, 0, NULL, 0);
		else
			reply(in->unique, 0, content + read_in->offset,
				size - read_in->offset < read_in->size ? size - read_in->offset
								       : read_in->size);
		break;
	case FUSE_STATFS:
		reply(in->unique, 0, &statfs_out, sizeof(statfs_out));
		break;
	case FUSE_FLUSH:
	case FUSE_RELEASE:
		reply(in->unique, 0, NULL, 0);
		break;
	case FUSE_FORGET:
	case FUSE_INTERRUPT:
		break;
	default:
		reply(in->unique, ENOSYS, NULL, 0);
	}
}

static void read_content(const char *path)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || fstat(fd, &st))
		exit(1);
	size = (size_t)st.st_size;
	content = malloc(size);
	if (!content || read(fd, content, size) != st.st_size)
		exit(1);
	close(fd);
}

static void mount_on(const char *folder)
{
	char options[128];

	device = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=%d,group_id=%d%s", device,
		NOBODY, NOBODY, private ? "" : ",allow_other");
	if (device >= 0 && !mount("silent", folder, "fuse.silent", MS_NOSUID | MS_NODEV, options))
		return;
	perror("fuse");
	exit(77);
}

/* Tells the parent through the pipe that all needed pages are loaded, and spins. */
static __attribute__((noreturn)) void spin(int done)
{
	volatile unsigned long spins = 0;

	while (spins < 1000)
		spins++;
	if (write(done, "x", 1) != 1)
		_exit(1);
	for (;;)
		spins++;
}

static __attribute__((noreturn)) void be_target(const char *folder, int done)
{
	char number[16];

	snprintf(number, sizeof(number), "%d", done);
	close(device); /* otherwise the process would wait for itself when it exits */
	if (setgroups(0, NULL) || setresgid(NOBODY, NOBODY, NOBODY) ||
		setresuid(NOBODY, NOBODY, NOBODY) || chdir(folder))
		_exit(1);
	execl("./program", "program", number, NULL);
	_exit(1);
}

int main(int argc, char **argv)
{
	_Alignas(8) static char request[REQUEST_MAX + 4096];
	int done[2];

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (argc < 2 || argc > 3)
		return 64;
	private = argc == 3 && !strcmp(argv[2], "private");
	if (argc == 3)
		unanswered = strcmp(argv[2], "read") ? FUSE_FLUSH : FUSE_READ;
	if (atoi(argv[1]))
		spin(atoi(argv[1]));
	alarm(SECONDS_MAX);
	read_content("/proc/self/exe");
	mount_on(argv[1]);
	if (pipe(done))
		return 1;
	pid_t target = fork();

	if (!target)
		be_target(argv[1], done[1]);
	struct pollfd fds[] = {{.fd = device, .events = POLLIN}, {.fd = done[0], .events = POLLIN}};

	for (;;) {
		poll(fds, silent ? 1 : 2, -1);
		if (!silent && fds[1].revents) {
			silent = 1;
			printf("%d\n", (int)target);
			fflush(stdout);
		}
		if (!fds[0].revents)
			continue;
		ssize_t n = read(device, request, sizeof(request));
		const struct fuse_in_header *in = (const void *)request;

		if (n < 0 && errno != EINTR && errno != EAGAIN)
			return 1;
		if (n >= (ssize_t)sizeof(*in) &&
			(!silent || private || (unanswered && (int)in->opcode != unanswered)))
			answer(in, in + 1);
	}
}
