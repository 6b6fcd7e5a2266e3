/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What unwind/step.h and runtime/native_step.h, which are to be included after it, take from their
 * includer: the memory that they read and how parts of a step are called.
 */
#ifndef ENGINE_BPF_KERN_WALK_PARTS_H
#define ENGINE_BPF_KERN_WALK_PARTS_H

#include "scratch.h"

#include "unwind/format.h"

#define WALK_LANE(w) (((struct scratch *)(w))->lane)
#define WALK_READ(w, to, size, at) read_stack(w, to, size, at)
#define WALK_READ_CODE(w, to, size, at) bpf_probe_read_user(to, size, (const void *)(at))
#define WALK_THREAD(w) thread_pointer()
#define WALK_STACK_END(w) own_stack_end((struct task_struct *)bpf_get_current_task())

/*
 * Reads the window at AT or, if not all of it can be read, one or two words in place of it. Returns
 * 0, or a negative number if these cannot be read either.
 */
__noinline int fill_window(uint32_t lane, uint64_t at, bool two)
{
	struct scratch *s = my_scratch(lane);

	if (!s)
		return -1;
	s->window_at = 0;
	if (bpf_probe_read_user(s->window, WINDOW, (void *)at))
		return two ? bpf_probe_read_user(s->window, 16, (void *)at)
			   : bpf_probe_read_user(s->window, 8, (void *)at);
	s->window_at = at;
	return 0;
}

/* Reads memory on the stack: one or two words through the window, other sizes directly. */
static __always_inline int read_stack(struct walk *w, void *to, uint32_t size, uint64_t at)
{
	struct scratch *s = (struct scratch *)w;
	uint64_t in = at - s->window_at;

	if (size > 16 || at & 7)
		return bpf_probe_read_user(to, size, (void *)at);
	/* in this order the verifier has less to do */
	if (__builtin_expect(in > WINDOW - 16, 1)) {
		int64_t error = fill_window(WALK_LANE(w), at, size == 16);

		if (error < 0)
			return -1;
		in = error;
	}
	((uint64_t *)to)[0] = s->window[in / 8 & (WINDOW / 8 - 1)];
	if (size == 16)
		((uint64_t *)to)[1] = s->window[(in / 8 + 1) & (WINDOW / 8 - 1)];
	return 0;
}

static __always_inline uint64_t thread_pointer(void)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();

	return BPF_CORE_READ(task, THREAD_POINTER);
}

/*
 * Returns the end of the stack that TASK began on. The main thread's stack ends at mm->start_stack;
 * other threads usually have their thread control block at the end (glibc, musl).
 */
static __always_inline uint64_t own_stack_end(struct task_struct *task)
{
	if (BPF_CORE_READ(task, pid) == BPF_CORE_READ(task, tgid))
		return BPF_CORE_READ(task, mm, start_stack);
	return BPF_CORE_READ(task, THREAD_POINTER);
}

/* A part of a step, see unwind/step.h: NAME_here(lane, …) is the global function. */
#define WALK_PART_AS(name, parameters, arguments, lane_parameters, lane_arguments)                 \
	static __always_inline uint64_t name##_inline parameters;                                  \
	__noinline uint64_t name##_here lane_parameters                                            \
	{                                                                                          \
		struct scratch *s = my_scratch(lane);                                              \
                                                                                                   \
		return s ? name##_inline arguments : 0;                                            \
	}                                                                                          \
	static __always_inline uint64_t name parameters                                            \
	{                                                                                          \
		return name##_here lane_arguments;                                                 \
	}                                                                                          \
	static __always_inline uint64_t name##_inline parameters

#define WALK_PART(name)                                                                            \
	WALK_PART_AS(name, (struct walk * w), (&s->walk), (uint32_t lane), (WALK_LANE(w)))
#define WALK_PART_1(name, a)                                                                       \
	WALK_PART_AS(name, (struct walk * w, uint64_t a), (&s->walk, a),                           \
		(uint32_t lane, uint64_t a), (WALK_LANE(w), a))
#define WALK_PART_2(name, a, b)                                                                    \
	WALK_PART_AS(name, (struct walk * w, uint64_t a, uint64_t b), (&s->walk, a, b),            \
		(uint32_t lane, uint64_t a, uint64_t b), (WALK_LANE(w), a, b))

static __always_inline int walk_by_runtime(struct walk *w, const struct unwind_rule *r);
#define WALK_BY_RUNTIME(w, r) walk_by_runtime(w, r)

#endif
