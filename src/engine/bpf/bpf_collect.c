/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bpf_collect.h"
#include "engine/places.h"
#include "lib/hash.h"
#include "lib/util.h"
#include "symbol/elf/elffile.h"
#include "symbol/elf/entry.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct collector {
	const struct bpf_collected *from;
	struct recording *rec;
	struct places places;
	struct table tasks;  /* hashes of start, tid and comm -> task */
	struct table stacks; /* stack in sums -> stack */
	struct table mixed;  /* two stacks in sums -> stack */
	struct table mains;  /* frame -> whether it is in main */
};

static uint32_t task_of(struct collector *c, const struct row_key *key)
{
	long hz = sysconf(_SC_CLK_TCK);
	char comm[COMM_LEN + 1] = "";
	bool is_new;

	memcpy(comm, key->comm, COMM_LEN);
	uint32_t *at = table_put(
		&c->tasks, hash_pair(key->start, key->tid), hash_text(comm, strlen(comm)), &is_new);

	if (!is_new)
		return *at;
	return *at = recording_add_task(
		       c->rec, &(struct rec_task){
				       .pid = key->tgid,
				       .tid = key->tid,
				       .start = key->start / (1000000000 / (uint64_t)hz),
				       .comm = recording_string(c->rec, comm),
			       });
}

static const struct mapping *mapping_of(const struct collector *c, uint64_t frame)
{
	uint64_t serial = frame >> 41;

	return walk_frame_mapped(frame) && serial && serial <= c->from->ps->nr_maps
		       ? &c->from->ps->maps[serial - 1]
		       : NULL;
}

static uint32_t frame_of(struct collector *c, uint64_t frame)
{
	const struct mapping *m = mapping_of(c, frame);

	if (!m)
		return places_user_frame(
			&c->places, NULL, frame & ((1ULL << 57) - 1), frame >> 57 & 1);
	return places_user_frame(
		&c->places, m, m->start + (frame & ((1ULL << 40) - 1)), frame >> 40 & 1);
}

/* The address of FRAME by its file's program headers; false: it is in no file. */
static bool file_address(const struct collector *c, uint64_t frame, uint64_t *address)
{
	const struct mapping *m = mapping_of(c, frame);
	const struct object *o = m ? &c->from->ps->objects[m->object] : NULL;

	if (!o || !o->elf || !elffile_mapped(o->elf, m->offset, m->end - m->start, address))
		return false;
	*address += frame & ((1ULL << 40) - 1);
	return true;
}

/*
 * True when the call in FRAME is in main: what called that is the C library's start, be it one
 * without rules (musl's).
 */
static bool is_in_main(struct collector *c, uint64_t frame)
{
	uint64_t address;
	bool is_new;
	uint32_t *at = table_put(&c->mains, frame, 0, &is_new);

	if (is_new)
		*at = file_address(c, frame, &address) &&
		      entry_is_main(
			      c->from->ps->objects[mapping_of(c, frame)->object].elf, address - 1);
	return *at;
}

/* What the walk's end means; what it stopped at when it is known that it had to. */
static enum stack_end judge(struct collector *c, const uint64_t *frames, uint32_t nr,
	enum walk_end end, uint32_t *cut_by)
{
	*cut_by = 0;
	switch (end) {
	case WALK_ROOT:
		return END_ROOT;
	case WALK_DEEP:
		*cut_by = recording_string(c->rec, "depth");
		return END_CUT;
	case WALK_BUSY:
		*cut_by = recording_string(c->rec, "busy");
		return END_CUT;
	case WALK_NO_RULE:
		if (nr > 1 && is_in_main(c, frames[nr - 2]))
			return END_ROOT;
		/* fall through */
	case WALK_PENDING:
		*cut_by = places_cut_by(&c->places, mapping_of(c, frames[nr - 1]));
		return END_CUT;
	default:
		return END_BROKEN;
	}
}

static uint32_t add_user_stack(struct collector *c, const struct sums_stack *s)
{
	const uint64_t *from = c->from->sums->frames + s->first;
	uint32_t *frames = xcalloc(s->nr, sizeof(*frames));
	uint32_t cut_by;
	enum stack_end end = judge(c, from, s->nr, s->end, &cut_by);

	for (uint32_t i = 0; i < s->nr; i++)
		frames[i] = frame_of(c, from[i]);
	uint32_t id = recording_add_stack(c->rec, STACK_USER, end, cut_by, frames, s->nr);

	free(frames);
	return id;
}

static uint32_t perl_frame(struct collector *c, uint64_t number)
{
	const struct perls *perls = c->from->perls;
	const struct perl_named *name = &perls->names[number];

	return places_vm_frame(&c->places, c->from->vm,
		recording_string(c->rec, strpool_get(&perls->strings, name->function)),
		recording_string(c->rec, strpool_get(&perls->strings, name->file)), name->line);
}

static uint32_t add_perl_stack(struct collector *c, const struct sums_stack *s)
{
	const uint64_t *from = c->from->sums->frames + s->first;
	uint32_t nr = s->end == VM_WHOLE || s->end == VM_CUT ? s->nr : 0;
	uint32_t *frames = xcalloc(s->nr, sizeof(*frames));

	for (uint32_t i = 0; i < nr; i++)
		frames[i] = perl_frame(c, from[i]);
	uint32_t id = places_vm_stack(&c->places, c->from->vm, s->end, frames, nr);

	free(frames);
	return id;
}

static uint32_t stack_of(struct collector *c, uint32_t number)
{
	const struct sums_stack *s = &c->from->sums->stacks[number];
	bool is_new;
	uint32_t *at = table_put(&c->stacks, number, 0, &is_new);

	if (!is_new)
		return *at;
	if (s->kind == STACK_KERNEL)
		return *at = places_kernel_stack(
			       &c->places, c->from->sums->frames + s->first, s->nr);
	return *at = s->kind == STACK_PERL ? add_perl_stack(c, s) : add_user_stack(c, s);
}

/* The frames of a user stack, and their roles; the caller's to free. */
static struct splice_native *mixed_native(struct collector *c, const struct sums_stack *s)
{
	const uint64_t *from = c->from->sums->frames + s->first;
	struct splice_native *list = xcalloc(s->nr, sizeof(*list));

	for (uint32_t i = 0; i < s->nr; i++) {
		const struct mapping *m = mapping_of(c, from[i]);
		bool call = from[i] >> 40 & 1;

		list[i].id = frame_of(c, from[i]);
		list[i].role = places_role(&c->places, c->from->vm, m,
			m ? m->start + (from[i] & ((1ULL << 40) - 1)) - call : 0);
	}
	return list;
}

static struct splice_frame *mixed_frames(struct collector *c, const struct sums_stack *s)
{
	const uint64_t *from = c->from->sums->frames + s->first;
	struct splice_frame *list = xcalloc(s->nr, sizeof(*list));

	for (uint32_t i = 0; i < s->nr; i++) {
		list[i].what = c->from->perls->names[from[i]].what;
		list[i].id = perl_frame(c, from[i]);
	}
	return list;
}

static uint32_t mixed_stack(struct collector *c, uint32_t user, uint32_t perl)
{
	const struct sums_stack *in_c = &c->from->sums->stacks[user];
	const struct sums_stack *in_perl = &c->from->sums->stacks[perl];
	bool is_new;
	uint32_t cut_by, *at = table_put(&c->mixed, user, perl, &is_new);

	if (!is_new)
		return *at;
	struct splice_native *frames = mixed_native(c, in_c);
	struct splice_frame *perls = mixed_frames(c, in_perl);
	enum stack_end end =
		judge(c, c->from->sums->frames + in_c->first, in_c->nr, in_c->end, &cut_by);
	struct splice s = {
		.native = frames,
		.nr_native = in_c->nr,
		.frames = perls,
		.nr_frames = in_perl->nr,
		.end = in_perl->end,
	};

	*at = places_mixed_stack(&c->places, c->from->vm, &s, end, cut_by);
	free(frames);
	free(perls);
	return *at;
}

static void add_row(struct collector *c, uint32_t event, const struct sums_row *from)
{
	const char tag[] = {(char)from->key.tag, '\0'};
	struct rec_row row = {
		.event = event,
		.task = task_of(c, &from->key),
		.stacks = {NO_STACK, NO_STACK, NO_STACK, NO_STACK},
		.tag = recording_string(c->rec, tag),
		.count = from->count,
		.sum = from->sum / c->from->divisor,
	};
	int n = 0;

	if (from->key.perl && from->key.user)
		row.stacks[n++] = mixed_stack(c, from->key.user, from->key.perl);
	else if (from->key.perl || from->key.user)
		row.stacks[n++] = stack_of(c, from->key.perl | from->key.user);
	if (from->key.kernel)
		row.stacks[n++] = stack_of(c, from->key.kernel);
	recording_add_row(c->rec, &row);
}

static int compare_rows(const void *va, const void *vb)
{
	const struct sums_row *a = va, *b = vb;

	if (a->sum != b->sum)
		return a->sum < b->sum ? 1 : -1;
	return memcmp(&a->key, &b->key, sizeof(a->key));
}

/* The number of a kernel stack without the frames of our own program. */
static uint32_t without_own(struct collector *c, uint32_t number)
{
	struct sums *sums = c->from->sums;
	const struct sums_stack s = sums->stacks[number];
	size_t own = number ? places_own_frames(&c->places, sums->frames + s.first, s.nr) : 0;
	uint64_t frames[KERNEL_DEPTH];

	if (!own || s.nr > KERNEL_DEPTH)
		return number;
	memcpy(frames, sums->frames + s.first, s.nr * sizeof(*frames));
	return sums_stack(sums, frames + own, s.nr - (uint32_t)own, STACK_KERNEL, s.end);
}

/* The rows with copies resolved: such a stack may be one that others have, too. */
static void settle_rows(struct collector *c, struct sums *settled, uint64_t *lost)
{
	const struct bpf_collected *from = c->from;

	for (size_t i = 1; i < from->sums->nr_rows; i++) {
		const struct sums_row *r = &from->sums->rows[i];
		struct row_key key = r->key;

		if (key.user & STACK_COPY)
			key.user = copies_stack(from->copies, key.user);
		if (key.perl & STACK_COPY)
			key.perl = copies_stack(from->copies, key.perl);
		key.kernel = without_own(c, key.kernel);
		if ((r->key.user && !key.user) || (r->key.perl && !key.perl))
			add_capped(lost, r->count);
		else
			sums_add(settled, &key, r->count, r->sum);
	}
}

void bpf_collect(const struct bpf_collected *from, uint32_t event, struct recording *rec)
{
	struct collector c = {.from = from, .rec = rec};
	struct sums rows;

	places_init(&c.places, from->ps, from->ks, rec);
	table_init(&c.tasks);
	table_init(&c.stacks);
	table_init(&c.mixed);
	table_init(&c.mains);
	sums_init(&rows);
	settle_rows(&c, &rows, &rec->lost[LOST_NO_BODY]);
	qsort(rows.rows + 1, rows.nr_rows - 1, sizeof(*rows.rows), compare_rows);
	for (size_t i = 1; i < rows.nr_rows; i++)
		add_row(&c, event, &rows.rows[i]);
	sums_release(&rows);
	table_release(&c.tasks);
	table_release(&c.stacks);
	table_release(&c.mixed);
	table_release(&c.mains);
	places_release(&c.places);
}
