/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "util.h"
#include "lib/limits/memory.h"
#include "strbuf.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void *not_null(void *p)
{
	if (!p) {
		fprintf(stderr, "%s: out of memory\n", program_invocation_short_name);
		exit(EXIT_FAILED);
	}
	return p;
}

/* CALL allocates. It is repeated as long as memory can be freed for it. */
#define ALLOCATE(call)                                                                             \
	({                                                                                         \
		void *allocated;                                                                   \
		do                                                                                 \
			allocated = (call);                                                        \
		while (!allocated && memory_reclaim());                                            \
		not_null(allocated);                                                               \
	})

void *xmalloc(size_t size)
{
	return ALLOCATE(malloc(size ? size : 1));
}

void *xcalloc(size_t n, size_t size)
{
	return ALLOCATE(calloc(n ? n : 1, size ? size : 1));
}

void *xrealloc(void *p, size_t n, size_t size)
{
	return ALLOCATE(reallocarray(p, n ? n : 1, size));
}

char *xstrdup(const char *s)
{
	return ALLOCATE(strdup(s));
}

char *xstrndup(const char *s, size_t n)
{
	return ALLOCATE(strndup(s, n));
}

char *xasprintf(const char *fmt, ...)
{
	va_list ap;
	char *s = NULL;

	va_start(ap, fmt);
	int n = vasprintf(&s, fmt, ap);
	va_end(ap);
	return not_null(n < 0 ? NULL : s);
}

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return 99;
}

bool parse_u64(const char *s, size_t len, int base, uint64_t *value)
{
	uint64_t v = 0;

	if (!len)
		return false;
	for (size_t i = 0; i < len; i++) {
		int d = digit(s[i]);

		if (d >= base || __builtin_mul_overflow(v, (uint64_t)base, &v) ||
			__builtin_add_overflow(v, (uint64_t)d, &v))
			return false;
	}
	*value = v;
	return true;
}

bool parse_decimal(const char *s, size_t len, double *value)
{
	char copy[64], *end;

	if (!len || len >= sizeof(copy) || !(digit(*s) < 10 || *s == '.'))
		return false;
	memcpy(copy, s, len);
	copy[len] = '\0';
	if (strspn(copy, "0123456789.eE+-") != len)
		return false;
	errno = 0;
	*value = strtod(copy, &end);
	return end == copy + len && !errno;
}

bool ends_with(const char *s, const char *tail)
{
	size_t len = strlen(s), n = strlen(tail);

	return len >= n && !memcmp(s + len - n, tail, n);
}

int64_t realtime_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int64_t cpu_time_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

int64_t monotonic_offset_ns(const char *of)
{
	char *path = xasprintf("/proc/%s/timens_offsets", of);
	FILE *in = fopen(path, "re");
	long long seconds = 0;
	long nanoseconds = 0;
	char line[128];

	while (in && fgets(line, sizeof(line), in))
		if (sscanf(line, "monotonic %lld %ld", &seconds, &nanoseconds) == 2)
			break;
	if (in)
		fclose(in);
	free(path);
	return seconds * 1000000000 + nanoseconds;
}

int64_t monotonic_ns(void)
{
	static int64_t offset;
	static bool known;
	struct timespec ts;

	if (!known) {
		offset = monotonic_offset_ns("self");
		known = true;
	}
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec - offset;
}

const char *file_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

int fail(struct strbuf *err, const char *fmt, ...)
{
	va_list ap;

	if (!err)
		return -1;
	va_start(ap, fmt);
	strbuf_vaddf(err, fmt, ap);
	va_end(ap);
	return -1;
}

int written(FILE *out, struct strbuf *err)
{
	return ferror(out) ? fail(err, "cannot write: %s\n", strerror(errno)) : 0;
}

int write_whole(int fd, const void *data, size_t size)
{
	const char *at = data;

	while (size) {
		ssize_t n = write(fd, at, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -1;
		at += n;
		size -= (size_t)n;
	}
	return 0;
}

int close_whole(FILE *out)
{
	bool failed = ferror(out) || fflush(out) ||
		      (fsync(fileno(out)) && errno != EINVAL); /* EINVAL if not on a disk */
	int error = errno;

	if (fclose(out) && !failed) {
		failed = true;
		error = errno;
	}
	errno = error;
	return failed ? -1 : 0;
}

uint64_t hash_u64(uint64_t x)
{
	x ^= x >> 33;
	x *= 0xff51afd7ed558ccdULL;
	x ^= x >> 33;
	x *= 0xc4ceb9fe1a85ec53ULL;
	return x ^ (x >> 33);
}

uint64_t hash_bytes(const void *p, size_t n)
{
	const unsigned char *s = p;
	uint64_t h = 0xcbf29ce484222325ULL;

	for (size_t i = 0; i < n; i++)
		h = (h ^ s[i]) * 0x100000001b3ULL;
	return hash_u64(h);
}

uint64_t hash_words(const uint64_t *words, size_t n)
{
	enum { LANES = 4 };
	const uint64_t prime = 0x9e3779b97f4a7c15;
	uint64_t lanes[LANES] = {1, 2, 3, 4}, hash = n;
	size_t i = 0;

	for (; i + LANES <= n; i += LANES)
		for (size_t k = 0; k < LANES; k++)
			lanes[k] = (lanes[k] ^ words[i + k]) * prime;
	for (; i < n; i++)
		lanes[i % LANES] = (lanes[i % LANES] ^ words[i]) * prime;
	for (size_t k = 0; k < LANES; k++)
		hash = hash_u64(hash ^ lanes[k]);
	return hash;
}
