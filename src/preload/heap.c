/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libflametap-heap.so, for LD_PRELOAD: takes samples of allocations by bytes inside the program,
 * and tells them to whoever records its marks (USDT). These are OpenTelemetry's:
 *
 *   otel_memory:alloc(POINTER, SIZE, WEIGHT)  a block was allocated, which stands for WEIGHT bytes
 *   otel_memory:free(POINTER)                 it is being freed
 *
 * FLAMETAP_INTERVAL is the mean number of bytes from sample to sample, 524288 by default. A call
 * costs a subtraction and a branch, as the distance to the next sample is a variable of the thread;
 * see tool/alloc/alloc_sampling.h. A call of free() looks into a small table for the hash of the
 * pointer.
 */
#include "tool/alloc/alloc_sampling.h"

#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define EXPORT __attribute__((visibility("default")))
#define INLINE static inline __attribute__((always_inline))
#define UNLIKELY(condition) __builtin_expect(condition, 0)

enum {
	EARLY_BYTES = 1 << 16, /* for blocks that dlsym() needs to find the allocator */
	ALIGNMENT = 16,
	BUCKETS = 1 << 16,
	BUCKET_BLOCKS = 8,
	BUCKET_FULL = 128, /* a bit of its count: it may have had more blocks */
	DEFAULT_EVERY = 1 << 19,
};

#define NOT_TAKEN UINT64_MAX

/* ---- marks ---- */

/* The kernel counts who records the marks. */
__attribute__((section(".probes"), used)) unsigned short flametap_alloc_semaphore;
__attribute__((section(".probes"), used)) unsigned short flametap_free_semaphore;

/* As <sys/sdt.h> of SystemTap describes a mark, at a nop of one byte, which is safe to probe. */
#define MARK(name, arguments, ...)                                                                 \
	__asm__ volatile("990: nop\n"                                                              \
			 ".pushsection .note.stapsdt,\"\",\"note\"\n"                              \
			 ".balign 4\n"                                                             \
			 ".4byte 992f-991f, 994f-993f, 3\n"                                        \
			 "991: .asciz \"stapsdt\"\n"                                               \
			 "992: .balign 4\n"                                                        \
			 "993: .8byte 990b, _.stapsdt.base, flametap_" name "_semaphore\n"         \
			 ".asciz \"otel_memory\", \"" name "\", \"" arguments "\"\n"               \
			 "994: .balign 4\n"                                                        \
			 ".popsection\n"                                                           \
			 ".ifndef _.stapsdt.base\n"                                                \
			 ".pushsection .stapsdt.base,\"aG\",\"progbits\",.stapsdt.base,comdat\n"   \
			 "_.stapsdt.base: .space 1\n"                                              \
			 ".popsection\n"                                                           \
			 ".endif\n"                                                                \
			 :                                                                         \
			 : __VA_ARGS__)

/* ---- the allocator that the program has without this library ---- */

static struct {
	void *(*malloc)(size_t);
	void *(*calloc)(size_t, size_t);
	void *(*realloc)(void *, size_t);
	void *(*memalign)(size_t, size_t);
	void *(*aligned_alloc)(size_t, size_t);
	int (*posix_memalign)(void **, size_t, size_t);
	void *(*valloc)(size_t);
	void *(*pvalloc)(size_t);
	void (*free)(void *);
} next;

static uint64_t every = DEFAULT_EVERY;
static bool finding; /* the allocator is being looked for */
static _Alignas(ALIGNMENT) unsigned char early[EARLY_BYTES];
static size_t early_used;

/* Allocates a block that is never freed. */
static void *early_alloc(size_t size)
{
	size_t bytes = (size + ALIGNMENT - 1) & -(size_t)ALIGNMENT;

	if (bytes < size || bytes > EARLY_BYTES - early_used)
		return NULL;
	early_used += bytes;
	return early + early_used - bytes;
}

static bool is_early(const void *block)
{
	return (uintptr_t)block - (uintptr_t)early < EARLY_BYTES;
}

/* Programs that have glibc before 2.34 without libdl have only these. */
#pragma weak dlsym
#pragma weak __libc_malloc
#pragma weak __libc_calloc
#pragma weak __libc_realloc
#pragma weak __libc_memalign
#pragma weak __libc_free
void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);
void __libc_free(void *);

#define FIND(name, otherwise) (dlsym ? dlsym(RTLD_NEXT, name) : (void *)(uintptr_t)(otherwise))

/* Runs before the program has threads. */
__attribute__((constructor)) static void find_allocator(void)
{
	const char *text = getenv("FLAMETAP_INTERVAL");
	uint64_t bytes = text ? strtoull(text, NULL, 10) : 0;

	if (next.malloc || finding)
		return;
	finding = true;
	if (bytes && bytes <= SAMPLE_EVERY_MAX)
		every = bytes;
	next.calloc = FIND("calloc", __libc_calloc);
	next.realloc = FIND("realloc", __libc_realloc);
	next.memalign = FIND("memalign", __libc_memalign);
	next.aligned_alloc = FIND("aligned_alloc", __libc_memalign);
	next.posix_memalign = FIND("posix_memalign", NULL);
	next.valloc = FIND("valloc", NULL);
	next.pvalloc = FIND("pvalloc", NULL);
	next.free = FIND("free", __libc_free);
	next.malloc = FIND("malloc", __libc_malloc);
	finding = false;
}

/* Returns false while the allocator is being looked for. */
INLINE bool is_ready(void)
{
	if (UNLIKELY(!next.malloc))
		find_allocator();
	return next.malloc;
}

/* ---- the blocks that were told and are not freed, by their hashes ---- */

static void *blocks[BUCKETS][BUCKET_BLOCKS];
static unsigned char nr_blocks[BUCKETS]; /* which fits into a near cache */

INLINE size_t bucket_of(const void *block)
{
	return (uintptr_t)block * 0x9e3779b97f4a7c15ULL >> 48;
}

static __attribute__((noinline)) void remember(void *block)
{
	size_t bucket = bucket_of(block);

	for (int i = 0; i < BUCKET_BLOCKS; i++) {
		void *none = NULL;

		if (__atomic_compare_exchange_n(&blocks[bucket][i], &none, block, false,
			    __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
			__atomic_fetch_add(&nr_blocks[bucket], 1, __ATOMIC_RELAXED);
			return;
		}
	}
	__atomic_fetch_or(&nr_blocks[bucket], BUCKET_FULL, __ATOMIC_RELAXED);
}

/* Forgets BLOCK. Returns whether it was, or may have been, told. */
static __attribute__((noinline)) bool forget(void *block)
{
	size_t bucket = bucket_of(block);

	for (int i = 0; i < BUCKET_BLOCKS; i++) {
		void *expected = block;

		if (__atomic_compare_exchange_n(&blocks[bucket][i], &expected, NULL, false,
			    __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
			__atomic_fetch_sub(&nr_blocks[bucket], 1, __ATOMIC_RELAXED);
			return true;
		}
	}
	return nr_blocks[bucket] & BUCKET_FULL;
}

/* ---- samples ---- */

static __thread int64_t left;  /* bytes up to the next sample */
static __thread uint64_t seed; /* 0 before the thread's first sample is drawn */

static uint64_t random_number(void)
{
	struct timespec now;

	if (!seed) {
		clock_gettime(CLOCK_MONOTONIC, &now);
		seed = ((uint64_t)now.tv_nsec << 32 ^ (uint64_t)now.tv_sec ^ (uintptr_t)&seed) | 1;
	}
	seed += 0x9e3779b97f4a7c15ULL;
	uint64_t number = (seed ^ seed >> 30) * 0xbf58476d1ce4e5b9ULL;

	number = (number ^ number >> 27) * 0x94d049bb133111ebULL;
	return number ^ number >> 31;
}

static void draw(void)
{
	left = every > 1 ? (int64_t)sample_distance(every, (uint32_t)random_number()) + 1 : 0;
}

/*
 * Returns how many bytes an allocation of SIZE bytes, with which the distance is used up, stands
 * for. Returns NOT_TAKEN if nobody records, or if the thread had no distance yet.
 */
static __attribute__((noinline)) uint64_t weigh(size_t size)
{
	struct sample_weight weight;

	if (!seed && every > 1) {
		draw();
		left -= (int64_t)sample_length(size);
		if (left > 0)
			return NOT_TAKEN;
	}
	draw();
	if (!flametap_alloc_semaphore)
		return NOT_TAKEN;
	sample_weigh(&weight, size, every, random_number());
	return weight.bytes;
}

/* Tells that BLOCK was allocated, if it is taken as a sample. The mark is in the caller's frame. */
INLINE void count(void *block, size_t size)
{
	uint64_t weight;

	left -= (int64_t)sample_length(size);
	if (__builtin_expect(left > 0, 1))
		return;
	weight = weigh(size);
	if (weight == NOT_TAKEN || !block)
		return;
	if (flametap_free_semaphore)
		remember(block);
	MARK("alloc", "8@%%rdi 8@%%rsi 8@%%rdx", "D"(block), "S"(size), "d"(weight));
}

/*
 * Calls of the allocator that may call malloc() or another function of this library, as musl's do,
 * are in between these, so that what is called there does not count. Return and take the distance.
 */
INLINE int64_t begin_call(void)
{
	int64_t before = left;

	left = INT64_MAX / 2;
	return before;
}

INLINE void end_call(int64_t before)
{
	left = before;
}

/* Tells that BLOCK is going to be freed, if it was told. */
INLINE void uncount(void *block)
{
	if (UNLIKELY(nr_blocks[bucket_of(block)]) && block && forget(block))
		MARK("free", "8@%%rdi", "D"(block));
}

/* ---- the functions of the allocator ---- */

EXPORT void *malloc(size_t size)
{
	if (UNLIKELY(!is_ready()))
		return early_alloc(size);
	void *block = next.malloc(size);

	count(block, size);
	return block;
}

EXPORT void *calloc(size_t number, size_t size)
{
	if (UNLIKELY(!is_ready()))
		return early_alloc(number * size);
	int64_t before = begin_call();
	void *block = next.calloc(number, size);

	end_call(before);
	count(block, number * size);
	return block;
}

EXPORT void free(void *block)
{
	if (UNLIKELY(is_early(block)) || UNLIKELY(!is_ready()))
		return;
	uncount(block);
	next.free(block);
}

/* Moves a block of early_alloc(), whose size is not known. */
static void *move_early(const void *block, size_t size)
{
	size_t most = (size_t)(early + EARLY_BYTES - (const unsigned char *)block);
	void *to = next.malloc(size);

	if (to)
		memcpy(to, block, size < most ? size : most);
	return to;
}

INLINE void *reallocate(void *block, size_t size)
{
	if (UNLIKELY(!is_ready()))
		return NULL;
	if (UNLIKELY(is_early(block)))
		return move_early(block, size);
	uncount(block);
	int64_t before = begin_call();
	void *moved = next.realloc(block, size);

	end_call(before);
	if (size || !block)
		count(moved, size);
	return moved;
}

EXPORT void *realloc(void *block, size_t size)
{
	return reallocate(block, size);
}

EXPORT void *reallocarray(void *block, size_t number, size_t size)
{
	size_t bytes;

	if (!__builtin_mul_overflow(number, size, &bytes))
		return reallocate(block, bytes);
	errno = ENOMEM;
	return NULL;
}

#define ALLOCATOR(name, parameters, arguments)                                                     \
	EXPORT void *name parameters                                                               \
	{                                                                                          \
		bool has = is_ready() && next.name;                                                \
		int64_t before = begin_call();                                                     \
		void *block = has ? next.name arguments : NULL;                                    \
                                                                                                   \
		end_call(before);                                                                  \
		count(block, size);                                                                \
		return block;                                                                      \
	}
ALLOCATOR(memalign, (size_t alignment, size_t size), (alignment, size))
ALLOCATOR(aligned_alloc, (size_t alignment, size_t size), (alignment, size))
ALLOCATOR(valloc, (size_t size), (size))
ALLOCATOR(pvalloc, (size_t size), (size))

EXPORT int posix_memalign(void **to, size_t alignment, size_t size)
{
	bool has = is_ready() && next.posix_memalign;
	int64_t before = begin_call();
	int error = has ? next.posix_memalign(to, alignment, size) : ENOMEM;

	end_call(before);
	count(error ? NULL : *to, size);
	return error;
}
