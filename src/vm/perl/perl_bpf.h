/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Perl stacks of the current task: which process has Perl where, and the walk. */
#ifndef VM_PERL_PERL_BPF_H
#define VM_PERL_PERL_BPF_H

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, PERLS_MAX);
	__type(key, uint32_t); /* tgid */
	__type(value, struct perl_layout);
} perls SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, PERL_KNOWN);
	__type(key, struct perl_key);
	__type(value, uint32_t);
} perl_known SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, SEEN_SUBS);
	__uint(map_flags, BPF_F_MMAPABLE); /* so that it begins with a page */
	__type(key, uint32_t);
	__type(value, struct perl_seen);
} seen_subs SEC(".maps");

static __always_inline struct perl_seen *perl_seen_place(uint64_t cv)
{
	uint32_t at = my_place(cv, SEEN_SUBS);

	return bpf_map_lookup_elem(&seen_subs, &at);
}

#define PERL_READ(w, to, size, at) bpf_probe_read_user(to, size, (const void *)(at))
#define PERL_READ_STRING(w, to, size, at) perl_read_string(to, size, at)
#define PERL_SEEN(w, cv) perl_seen_place(cv)

static __always_inline int perl_read_string(char *to, uint32_t size, uint64_t address)
{
	long len = bpf_probe_read_user_str(to, size, (const void *)address);

	return len > 0 ? len - 1 : -1;
}

#include "perl_step.h"
#include "perl_text.h"

static __always_inline bool keep_perl_frame(struct scratch *s, const struct vm_frame *f)
{
	struct perl_words words = perl_pack(f);
	uint32_t nr = s->nr_perl;

	if (nr >= PERL_DEPTH)
		return false;
	s->with[nr] = f->with;
	s->frame[PAD + nr * PERL_WORDS] = words.what;
	s->frame[PAD + nr * PERL_WORDS + 1] = words.at;
	s->nr_perl = nr + 1;
	return true;
}

/* Keeps the frame that was found, and goes on; false: that was the end. */
static __always_inline bool take_perl_step(struct scratch *s)
{
	if (s->perl.found && !keep_perl_frame(s, &s->perl.frame)) {
		s->perl_end = VM_CUT;
		return false;
	}
	if (s->perl_end != VM_ON)
		return false;
	s->perl_end = perl_step(&s->perl, &s->perl_layout);
	return true;
}

/* Takes the next steps; 0: there are more. */
__noinline int take_perl_steps(uint32_t lane)
{
	struct scratch *s = my_scratch(lane);

	for (int i = 0; s && i < STRIDE; i++)
		if (!take_perl_step(s))
			return 1;
	return !s;
}

/* Tells user space what frame INDEX is called when it has not heard of it. */
__noinline int tell_perl_frame(uint32_t lane, uint32_t index)
{
	struct scratch *s = my_scratch(lane);
	uint32_t yes = 1;

	if (!s || index >= PERL_DEPTH)
		return 0;
	struct ring_perl *told = &s->told;

	told->key.words.what = s->frame[PAD + index * PERL_WORDS];
	told->key.words.at = s->frame[PAD + index * PERL_WORDS + 1];
	if (bpf_map_lookup_elem(&perl_known, &told->key))
		return 0;
	struct vm_frame frame = perl_unpack(&told->key.words, s->with[index]);

	told->what = frame.what;
	perl_read_texts(&s->perl, &s->perl_layout, &frame, &told->texts);
	if (!bpf_ringbuf_output(&ring, told, sizeof(*told), 0) && told->texts.named)
		bpf_map_update_elem(&perl_known, &told->key, &yes, BPF_ANY);
	return 0;
}

/* The end of WAY in the current thread; false: nothing is there. */
static __always_inline bool follow_way(const struct way *way, uint64_t *value)
{
	uint64_t at = way->per_thread ? BPF_CORE_READ(current_task(), thread.fsbase) : 0;

	for (uint32_t i = 0; i < WAY_STEPS; i++) {
		if (i >= way->nr)
			break;
		if (bpf_probe_read_user(&at, sizeof(at), (void *)(at + way->step[i])) || !at)
			return false;
	}
	*value = at;
	return true;
}

/* Walks from the current thread's interpreter. */
static __always_inline void walk_perl(struct scratch *s)
{
	uint64_t interpreter;

	if (!follow_way(&s->perl_layout.interpreter, &interpreter))
		return;
	s->perl.mixed = settings.user;
	s->perl.owner = s->row.tgid;
	s->perl_end = perl_begin(&s->perl, &s->perl_layout, interpreter);
	for (int i = 0; i < PERL_STEPS / STRIDE; i++)
		if (take_perl_steps(LANE_EVENT))
			break;
	if (s->perl_end == VM_ON)
		s->perl_end = VM_CUT;
}

/*
 * The Perl stack of the current task goes into s->row; false: no room. Where the user stack is
 * recorded, too, one that says nothing is none.
 */
static __always_inline bool perl_stack(struct scratch *s)
{
	uint32_t tgid = s->row.tgid;
	const struct perl_layout *layout = bpf_map_lookup_elem(&perls, &tgid);

	s->nr_perl = 0;
	s->perl_end = VM_NOT_RUNNING;
	if (layout) {
		s->perl_layout = *layout;
		walk_perl(s);
	}
	if (s->perl_end == VM_NOT_RUNNING && settings.user)
		return true;
	if (s->perl_end != VM_WHOLE && s->perl_end != VM_CUT) {
		struct vm_frame none = {PERL_WHAT(PERL_NO_FRAME), 0, 0};

		s->nr_perl = 0;
		keep_perl_frame(s, &none);
	}
	s->row.perl = store(s, LANE_EVENT, s->nr_perl * PERL_WORDS,
		NODE_ROOT | NODE_PERL | (uint64_t)tgid << 8 | s->perl_end);
	s->told.type = RING_PERL;
	s->told.key.tgid = tgid;
	for (uint32_t i = 0; layout && i < PERL_DEPTH && i < s->fresh / PERL_WORDS; i++)
		tell_perl_frame(LANE_EVENT, i);
	return s->row.perl;
}

#endif
