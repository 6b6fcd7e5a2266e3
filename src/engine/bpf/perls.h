/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Perl stacks of the current task: which process has Perl where, and the walk. */
#ifndef BPF_PERLS_H
#define BPF_PERLS_H

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

#include "layout/perl_step.h"
#include "layout/perl_text.h"

struct perl_walking {
	struct scratch *s;
	const struct perl_layout *layout;
	uint32_t nr; /* frames */
	int end;
};

static __always_inline bool keep_perl_frame(struct perl_walking *p, const struct perl_frame *f)
{
	struct perl_words words = perl_pack(f);
	uint32_t nr = p->nr;

	if (nr >= PERL_DEPTH)
		return false;
	p->s->with[nr] = f->with;
	p->s->frame[PAD + nr * PERL_WORDS] = words.what;
	p->s->frame[PAD + nr * PERL_WORDS + 1] = words.cop;
	p->nr = nr + 1;
	return true;
}

static long take_perl_step(uint32_t i, struct perl_walking *p)
{
	struct perl_walk *w = &p->s->perl;

	if (w->found && !keep_perl_frame(p, &w->frame)) {
		p->end = PERL_CUT;
		return 1;
	}
	if (p->end != PERL_ON)
		return 1;
	p->end = perl_step(w, p->layout);
	return 0;
}

/* Tells user space what a frame is called that it has not heard of. */
static long tell_perl_frame(uint32_t i, struct perl_walking *p)
{
	struct scratch *s = p->s;
	struct ring_perl *told = &s->told;
	uint32_t yes = 1;

	if (i >= PERL_DEPTH)
		return 1;
	told->key.words.what = s->frame[PAD + i * PERL_WORDS];
	told->key.words.cop = s->frame[PAD + i * PERL_WORDS + 1];
	if (bpf_map_lookup_elem(&perl_known, &told->key))
		return 0;
	struct perl_frame frame = perl_unpack(&told->key.words, s->with[i]);

	told->what = frame.what;
	perl_read_texts(&s->perl, p->layout, &frame, &told->texts);
	if (!bpf_ringbuf_output(&ring, told, sizeof(*told), 0) && told->texts.named)
		bpf_map_update_elem(&perl_known, &told->key, &yes, BPF_ANY);
	return 0;
}

/* The end of WAY in the current thread; false: nothing is there. */
static __always_inline bool follow_way(const struct way *way, uint64_t *value)
{
	struct task_struct *task = bpf_get_current_task_btf();
	uint64_t at = way->per_thread ? task->thread.fsbase : 0;

	for (uint32_t i = 0; i < WAY_STEPS; i++) {
		if (i >= way->nr)
			break;
		if (bpf_probe_read_user(&at, sizeof(at), (void *)(at + way->step[i])) || !at)
			return false;
	}
	*value = at;
	return true;
}

/* Walks from the current thread's interpreter; the end. */
static __always_inline int walk_perl(struct perl_walking *p)
{
	struct perl_walk *w = &p->s->perl;
	uint64_t interpreter;

	if (!follow_way(&p->layout->interpreter, &interpreter))
		return PERL_NOT_RUNNING;
	w->mixed = wanted.user;
	w->owner = p->s->row.tgid;
	p->end = perl_begin(w, p->layout, interpreter);
	bpf_loop(PERL_STEPS, take_perl_step, p, 0);
	return p->end == PERL_ON ? PERL_CUT : p->end;
}

/*
 * The Perl stack of the current task goes into s->row; false: no room. Where the user stack is
 * wanted, too, one that says nothing is none.
 */
static bool perl_stack(struct scratch *s)
{
	uint32_t tgid = s->row.tgid;
	struct perl_walking p = {.s = s, .end = PERL_NOT_RUNNING};

	p.layout = bpf_map_lookup_elem(&perls, &tgid);
	if (p.layout)
		p.end = walk_perl(&p);
	if (p.end == PERL_NOT_RUNNING && wanted.user)
		return true;
	if (p.end != PERL_WHOLE && p.end != PERL_CUT) {
		struct perl_frame none = {PERL_WHAT(PERL_NO_FRAME), 0, 0};

		p.nr = 0;
		keep_perl_frame(&p, &none);
	}
	s->row.perl = store(s, p.nr * PERL_WORDS, NODE_ROOT | NODE_PERL | (uint64_t)tgid << 8 | p.end);
	if (s->fresh && p.layout) {
		s->told.type = RING_PERL;
		s->told.key.tgid = tgid;
		bpf_loop(s->fresh / PERL_WORDS, tell_perl_frame, &p, 0);
	}
	return s->row.perl;
}

#endif
