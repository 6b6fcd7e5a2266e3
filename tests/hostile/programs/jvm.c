/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jvm MODE: pretends to be a JVM that has compiled code, and runs that code now and then. Its name
 * must be libjvm.so. Its exported symbols are a JVM's, but it does not answer attach requests as a
 * JVM does. Prints "spinning".
 *
 *   default   SIGQUIT ends it
 *   silent    does nothing
 *   mute      listens, and never answers
 *   endless   answers without an end
 *   old       does not know the command
 *   link      its socket is a link to /tmp/other-PID, where another process listens
 *   file      its socket is a file
 *   huge      says that it has written a map, which has a terabyte
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* ---- the data that a debugger reads ---- */

struct entry {
	const char *owner, *name, *type;
	uint64_t is_static, offset;
	const void *address;
};

struct type {
	const char *name, *super;
	uint64_t flags, size;
};

struct space {
	char *unused, *end, *low;
};

static struct heap {
	struct space memory, segments;
	int shift;
} heap = {.shift = 7};

static struct heap *heap_of = &heap;
static struct queue {
	char *buffer;
	int limit;
} queue, *queue_of = &queue;
static char *call_stub;
static unsigned char refuses;
static struct flag {
	const char *name;
	const void *address;
} flags[] = {{"UseSerialGC", &refuses}, {"DisableAttachMechanism", &refuses}}, *flags_of = flags;
static uint64_t nr_flags = 2;

#define OFFSET(owner, name, type, offset)                                                          \
	{                                                                                          \
		owner, name, type, 0, offset, NULL                                                 \
	}
#define STATIC(owner, name, address)                                                               \
	{                                                                                          \
		owner, name, "address", 1, 0, address                                              \
	}

static const struct entry entries[] = {
	STATIC("CodeCache", "_heap", &heap_of),
	OFFSET("CodeHeap", "_memory", "VirtualSpace", 0),
	OFFSET("CodeHeap", "_segmap", "VirtualSpace", sizeof(struct space)),
	OFFSET("CodeHeap", "_log2_segment_size", "int", 2 * sizeof(struct space)),
	OFFSET("VirtualSpace", "_low", "char*", 16),
	OFFSET("VirtualSpace", "_high_boundary", "char*", 8),
	OFFSET("HeapBlock::Header", "_used", "bool", 8),
	OFFSET("CodeBlob", "_size", "int", 12),
	OFFSET("CodeBlob", "_frame_size", "int", 28),
	OFFSET("CodeBlob", "_frame_complete_offset", "int", 20),
	OFFSET("CodeBlob", "_code_offset", "int", 36),
	STATIC("AbstractInterpreter", "_code", &queue_of),
	OFFSET("StubQueue", "_stub_buffer", "address", 0),
	OFFSET("StubQueue", "_buffer_limit", "int", 8),
	OFFSET("InterpreterCodelet", "_description", "char*", 0),
	OFFSET("InterpreterCodelet", "_size", "int", 8),
	STATIC("StubRoutines", "_call_stub_return_address", &call_stub),
	STATIC("JVMFlag", "flags", &flags_of),
	STATIC("JVMFlag", "numFlags", &nr_flags),
	OFFSET("JVMFlag", "_name", "char*", 0),
	OFFSET("JVMFlag", "_addr", "void*", 8),
	{0},
};
static const struct type types[] = {
	{"HeapBlock", NULL, 0, 16},
	{"JVMFlag", NULL, 0, sizeof(struct flag)},
	{0},
};

#define EXPORTED __attribute__((used, visibility("default")))
EXPORTED const struct entry *gHotSpotVMStructs = entries;
EXPORTED uint64_t gHotSpotVMStructEntryArrayStride = sizeof(struct entry);
EXPORTED uint64_t gHotSpotVMStructEntryTypeNameOffset = 0;
EXPORTED uint64_t gHotSpotVMStructEntryFieldNameOffset = 8;
EXPORTED uint64_t gHotSpotVMStructEntryTypeStringOffset = 16;
EXPORTED uint64_t gHotSpotVMStructEntryOffsetOffset = 32;
EXPORTED uint64_t gHotSpotVMStructEntryAddressOffset = 40;
EXPORTED const struct type *gHotSpotVMTypes = types;
EXPORTED uint64_t gHotSpotVMTypeEntryArrayStride = sizeof(struct type);
EXPORTED uint64_t gHotSpotVMTypeEntryTypeNameOffset = 0;
EXPORTED uint64_t gHotSpotVMTypeEntrySizeOffset = 24;

/* ---- its behaviour ---- */

enum { CODE = 1 << 16 };

static const char *mode;
static volatile sig_atomic_t signals;

static int is(const char *name)
{
	return !strcmp(mode, name);
}

static void on_quit(int sig)
{
	(void)sig;
	signals++;
}

static int listen_at(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	unlink(path);
	if (bind(fd, (struct sockaddr *)&address, sizeof(address)) || listen(fd, 8))
		exit(3);
	return fd;
}

static void answer(int fd)
{
	static const char unknown[] =
		"-1\njava.lang.IllegalArgumentException: Unknown diagnostic command\n";
	char zeros[4096] = {0}, map[32], request[64];

	/* JVMs close the socket after an answer, and then the client could not send any more */
	if (read(fd, request, sizeof(request)) <= 0)
		return;
	if (is("old")) {
		if (write(fd, unknown, sizeof(unknown) - 1) < 0)
			return;
	} else if (is("huge")) {
		snprintf(map, sizeof(map), "/tmp/perf-%d.map", getpid());
		if (!truncate(map, 1LL << 40) && write(fd, "0\n", 2) == 2)
			close(fd);
		return;
	} else if (is("endless")) {
		while (write(fd, zeros, sizeof(zeros)) > 0)
			;
	} else if (is("mute")) {
		return; /* and keeps the connection open */
	}
	close(fd);
}

static void *serve(void *unused)
{
	char path[64], other[64];
	int fd = -1;

	snprintf(path, sizeof(path), "/tmp/.java_pid%d", getpid());
	snprintf(other, sizeof(other), "/tmp/other-%d", getpid());
	(void)unused;
	unlink(path);
	if (is("link") && symlink(other, path))
		exit(3);
	else if (is("file"))
		close(open(path, O_WRONLY | O_CREAT, 0600));
	else if (is("mute") || is("endless") || is("old") || is("huge"))
		fd = listen_at(path);
	for (int accepted; fd >= 0 && (accepted = accept(fd, NULL, NULL)) >= 0;)
		answer(accepted);
	return NULL;
}

/* Returns a heap with room for code and its segment map. */
static char *make_heap(void)
{
	/* dec rdi; jnz back; ret */
	static const unsigned char code[] = {0x48, 0xff, 0xcf, 0x75, 0xfb, 0xc3};
	char *memory = mmap(NULL, 2 * CODE, PROT_READ | PROT_WRITE | PROT_EXEC,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		exit(3);
	memcpy(memory, code, sizeof(code));
	heap.memory = (struct space){NULL, memory + CODE, memory};
	heap.segments = (struct space){NULL, memory + 2 * CODE, memory + CODE};
	memset(memory + CODE, 0xff, CODE);
	queue = (struct queue){memory + CODE / 2, 256};
	call_stub = memory + 128;
	return memory;
}

int main(int argc, char **argv)
{
	void (*run)(unsigned long);
	pthread_t thread;

	mode = argc > 1 ? argv[1] : "";
	char *code = make_heap();

	if (!is("default"))
		signal(SIGQUIT, on_quit);
	signal(SIGPIPE, SIG_IGN);
	pthread_create(&thread, NULL, serve, NULL);
	memcpy(&run, &code, sizeof(run));
	puts("spinning");
	fflush(stdout);
	for (;;) {
		run(1000000);
		usleep(50000); /* leaves the processor to other processes, too */
		if (signals) {
			printf("SIGQUIT\n");
			fflush(stdout);
			signals = 0;
		}
	}
}
