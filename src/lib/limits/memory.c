/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "memory.h"
#include "lib/util.h"

#include <fcntl.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
	/* Part of the limit. Writing a recording takes about as much memory as making it. */
	RESERVE_PART = 4,
	LAST_PART = 32,        /* part of the limit for the function of memory_on_exhaustion() */
	RESERVE_MAX = 1 << 30, /* bytes */
	LOOK_MS = 200,         /* between two checks of the cgroup's use */
	FILE_SIZE = 1 << 14,
	APART = 1 << 17, /* bytes of an allocation that is mapped apart */
};

/* The files of the two versions of cgroups. */
static const struct hierarchy {
	const char *line; /* how its line in /proc/self/cgroup continues after the number */
	const char *mounts[3];
	const char *limit, *use;
	const char *cache[2]; /* lines of memory.stat with memory that the kernel can take back */
} hierarchies[] = {
	{"::", {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"}, "memory.max", "memory.current",
		{"\ninactive_file ", "\nactive_file "}},
	{":memory:", {"/sys/fs/cgroup/memory"}, "memory.limit_in_bytes", "memory.usage_in_bytes",
		{"\ntotal_inactive_file ", "\ntotal_active_file "}},
};

/* The cgroup whose limit is the lowest. */
static struct {
	const struct hierarchy *hierarchy; /* or NULL if no cgroup has a limit */
	char *folder;
	uint64_t limit;
} group;

static struct {
	void *memory; /* or NULL if there is none, or it was freed */
	size_t size;
} reserve, last;

static void (*on_exhaustion)(void);
static pid_t owner; /* process that has set on_exhaustion; its children do not call it */
static bool failed; /* an allocation has failed */

/*
 * Reads a file without allocating. TEXT has FILE_SIZE bytes; a newline is put before its contents.
 */
static bool read_text(const char *folder, const char *file, char *text)
{
	char path[4096];

	if (snprintf(path, sizeof(path), "%s/%s", folder, file) >= (int)sizeof(path))
		return false;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text + 1, FILE_SIZE - 2);

	if (fd >= 0)
		close(fd);
	if (n < 0)
		return false;
	*text = '\n';
	text[n + 1] = '\0';
	return true;
}

/* Returns the number after KEY, or UINT64_MAX if there is none. */
static uint64_t number_after(const char *text, const char *key)
{
	const char *at = strstr(text, key);
	uint64_t value;

	if (!at)
		return UINT64_MAX;
	at += strlen(key);
	return parse_u64(at, strspn(at, "0123456789"), 10, &value) ? value : UINT64_MAX;
}

static uint64_t read_number(const char *folder, const char *file)
{
	char text[FILE_SIZE];

	return read_text(folder, file, text) ? number_after(text, "\n") : UINT64_MAX;
}

/* The limits of the cgroups above a cgroup are also valid for it. */
static void find_limit(const struct hierarchy *h, const char *mount, const char *path)
{
	char *folder = xasprintf("%s%s", mount, path);

	for (char *end = folder + strlen(folder); end; end = strrchr(folder + strlen(mount), '/')) {
		*end = '\0';
		uint64_t limit = read_number(folder, h->limit);

		if (limit >= group.limit)
			continue;
		free(group.folder);
		group.folder = xstrdup(folder);
		group.hierarchy = h;
		group.limit = limit;
	}
	free(folder);
}

/*
 * Finds the line of our cgroup in /proc/self/cgroup: "NUMBER:CONTROLLERS:PATH". Inside a container,
 * PATH may not exist.
 */
static void find_group(void)
{
	char text[FILE_SIZE];

	group.limit = 1ULL << 60; /* version 1 has a larger number if there is no limit */
	if (!read_text("/proc/self", "cgroup", text))
		return;
	for (const struct hierarchy *h = hierarchies; h < hierarchies + ARRAY_LEN(hierarchies);
		h++) {
		const char *line = strstr(text, h->line);

		if (!line)
			continue;
		line += strlen(h->line);
		char *path = xstrndup(line, strcspn(line, "\n"));

		for (const char *const *mount = h->mounts; *mount; mount++)
			find_limit(h, *mount, path);
		free(path);
	}
}

static uint64_t resource_limit(int resource)
{
	struct rlimit limit;

	return getrlimit(resource, &limit) || limit.rlim_cur == RLIM_INFINITY ? UINT64_MAX
									      : limit.rlim_cur;
}

uint64_t memory_limit(void)
{
	static uint64_t lowest;

	if (lowest)
		return lowest;
	uint64_t as = resource_limit(RLIMIT_AS), data = resource_limit(RLIMIT_DATA);

	find_group();
	lowest = as < data ? as : data;
	if (group.hierarchy && group.limit < lowest)
		lowest = group.limit;
	lowest += !lowest;
	return lowest;
}

uint64_t memory_share(uint64_t most, unsigned part)
{
	uint64_t share = memory_limit() / part;

	return share < most ? share : most;
}

static void *set_aside(size_t size)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

void memory_reserve(void)
{
	if (memory_limit() == UINT64_MAX || reserve.memory || failed)
		return;
	reserve.size = memory_share(RESERVE_MAX, RESERVE_PART);
	last.size = memory_share(RESERVE_MAX, LAST_PART);
	reserve.memory = set_aside(reserve.size);
	last.memory = set_aside(last.size);
}

static bool give_back(void **memory, size_t size)
{
	if (!*memory)
		return false;
	munmap(*memory, size);
	*memory = NULL;
	return true;
}

bool memory_reclaim(void)
{
	void (*call)(void) = on_exhaustion;

	failed = true;
	if (give_back(&reserve.memory, reserve.size))
		return true;
	if (!give_back(&last.memory, last.size))
		return false;
	on_exhaustion = NULL;
	if (call && getpid() == owner)
		call();
	return false;
}

bool memory_has(size_t size)
{
	size_t kept = reserve.memory ? reserve.size : 0;
	void *rest = size > kept ? set_aside(size - kept) : NULL;

	if (size > kept && !rest && !failed)
		memory_reclaim();
	if (rest)
		munmap(rest, size - kept);
	return size <= kept || rest;
}

void memory_on_exhaustion(void (*call)(void))
{
	on_exhaustion = call;
	owner = getpid();
}

static bool is_group_low(void)
{
	const struct hierarchy *h = group.hierarchy;
	uint64_t most = group.limit - memory_share(RESERVE_MAX, RESERVE_PART);
	char text[FILE_SIZE];
	uint64_t use = read_number(group.folder, h->use);

	if (use == UINT64_MAX || use < most)
		return false;
	if (!read_text(group.folder, "memory.stat", text))
		return false;
	for (size_t i = 0; i < ARRAY_LEN(h->cache); i++) {
		uint64_t cache = number_after(text, h->cache[i]);

		use -= cache < use ? cache : 0;
	}
	return use >= most;
}

bool memory_is_low(void)
{
	static int64_t looked_ns;
	static bool low;
	int64_t now = monotonic_ns();

	if (group.hierarchy && now - looked_ns > LOOK_MS * 1000000LL) {
		low = is_group_low();
		looked_ns = now;
	}
	return failed || low;
}

#if defined(__GLIBC__)
void memory_keep_little(void)
{
	mallopt(M_MMAP_THRESHOLD, APART); /* which then no longer grows */
}

void memory_trim(void)
{
	malloc_trim(0);
}
#else /* other C libraries do so anyway */
void memory_keep_little(void)
{
}

void memory_trim(void)
{
}
#endif

void memory_die_first(void)
{
	int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	write_whole(fd, "1000", 4); /* best effort */
	close(fd);
}
