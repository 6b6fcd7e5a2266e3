/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "perls.h"
#include "lib/hash.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "perl_walk.h"
#include "process/task.h"
#include "symbol/fetch/debuginfod_open.h"
#include "vm/inspect.h"

#include <bpf/bpf.h>
#include <inttypes.h>
#include <stdlib.h>

/*
 * An interpreter is not there at once when its file is mapped, and the way to it may be another one
 * once it is: so long, and so often, it is looked for again.
 */
enum { YOUNG_MS = 1000, AGAIN_MS = 20 };

enum { IMAGES_BEFORE = 16 }; /* parents, and earlier images, whose names are believed */

void perls_init(struct perls *pl, struct processes *ps, struct strbuf *refusals)
{
	*pl = (struct perls){.ps = ps, .map = -1, .refusals = refusals};
	strpool_init(&pl->strings);
	table_init(&pl->by_pid);
	table_init(&pl->by_frame);
	table_init(&pl->by_name);
	table_init(&pl->objects);
	table_init(&pl->by_object);
	pl->images = xcalloc(16, sizeof(*pl->images));
	pl->names = xcalloc(16, sizeof(*pl->names));
	pl->images_alloc = pl->names_alloc = 16;
	pl->nr_images = pl->nr_names = 1;
}

void perls_release(struct perls *pl)
{
	free(pl->images);
	free(pl->names);
	strpool_release(&pl->strings);
	table_release(&pl->by_pid);
	table_release(&pl->by_frame);
	table_release(&pl->by_name);
	table_release(&pl->objects);
	table_release(&pl->by_object);
	*pl = (struct perls){0};
}

/* ---- where it is ---- */

static uint32_t add_image(struct perls *pl, uint32_t pid, uint32_t before)
{
	uint32_t number = (uint32_t)pl->nr_images;
	bool is_new;
	uint32_t *newest = table_put(&pl->by_pid, pid, 0, &is_new);

	ALLOC_GROW(pl->images, pl->nr_images, pl->images_alloc);
	pl->images[pl->nr_images++] = (struct perl_image){.pid = pid,
		.before = before,
		.older = is_new ? 0 : *newest,
		.began_ns = monotonic_ns()};
	return *newest = number;
}

static uint32_t newest_image(struct perls *pl, uint32_t pid)
{
	const uint32_t *known = table_get(&pl->by_pid, pid, 0);

	return known ? *known : add_image(pl, pid, 0);
}

static bool object_has_perl(struct perls *pl, size_t object)
{
	const struct elffile *elf = pl->ps->objects[object].elf;
	bool is_new;
	uint32_t *has = table_put(&pl->objects, object, 0, &is_new);

	if (is_new)
		*has = elf && perl_is_in(elf);
	return *has;
}

/* The file that P has Perl in; false: none. */
static bool find_object(struct perls *pl, const struct process *p, size_t *object)
{
	for (size_t i = 0; i < p->nr_maps; i++) {
		const struct mapping *m = &pl->ps->maps[p->maps[i]];

		*object = m->object;
		if (m->to_ns == INT64_MAX && object_has_perl(pl, m->object))
			return true;
	}
	return false;
}

static void tell_programs(const struct perls *pl, const struct perl_image *image)
{
	if (pl->map < 0)
		return;
	if (image->state != IMAGE_FOUND)
		bpf_map_delete_elem(pl->map, &image->pid);
	else if (bpf_map_update_elem(pl->map, &image->pid, &image->layout, BPF_ANY))
		strbuf_addf(pl->refusals, "process %" PRIu32 " is one too many that runs Perl\n",
			image->pid);
}

/* As perl_find. */
static int find(
	struct perls *pl, const struct process *p, struct perl_image *image, struct strbuf *err)
{
	struct perl_layout layout;
	const uint32_t *like;
	struct target t;
	size_t object;
	bool is_new;
	int found;

	if (!find_object(pl, p, &object))
		return 1;
	like = table_get(&pl->by_object, object, 0);
	inspect_init(&t, pl->ps, p, NULL);
	t.debuginfo = pl->map < 0 ? DEBUGINFO_FIRST : DEBUGINFO_LAST; /* now it runs: hurry */
	t.fetch = pl->fetch && pl->map < 0 ? debuginfod_open_as_user : NULL;
	found = perl_find(&t, like ? &pl->images[*like].layout : NULL, &layout, err);
	inspect_release(&t);
	if (found)
		return found;
	layout.path = NULL; /* p's, which may go */
	image->layout = layout;
	*table_put(&pl->by_object, object, 0, &is_new) = (uint32_t)(image - pl->images);
	return 0;
}

int perls_look(struct perls *pl, const struct process *p, struct strbuf *err)
{
	uint32_t number = newest_image(pl, p->pid);
	struct perl_image *image = &pl->images[number];
	struct strbuf why = STRBUF_INIT;
	int found = find(pl, p, image, &why);

	image->changes = p->changes;
	image->looked_ns = monotonic_ns();
	/* one that ends meanwhile is what it was */
	if (found < 0 && (image->state == IMAGE_FOUND || !task_lives(p->pid, 0)))
		found = image->state == IMAGE_FOUND ? 0 : 1;
	else
		image->state = !found ? IMAGE_FOUND : found > 0 ? IMAGE_NONE : IMAGE_REFUSED;
	if (found < 0)
		strbuf_add(err, why.buf, why.len);
	strbuf_release(&why);
	tell_programs(pl, image);
	return found;
}

static bool is_young(const struct perl_image *image)
{
	return monotonic_ns() - image->began_ns < YOUNG_MS * 1000000LL;
}

static bool is_due(const struct perl_image *image, const struct process *p)
{
	return image->state == IMAGE_NEW || image->changes != p->changes ||
	       (image->state == IMAGE_FOUND && is_young(image) &&
		       monotonic_ns() - image->looked_ns > AGAIN_MS * 1000000LL);
}

void perls_start(struct perls *pl, int map)
{
	pl->map = map;
	for (size_t i = 1; i < pl->nr_images; i++)
		tell_programs(pl, &pl->images[i]);
}

static void update(struct perls *pl, const struct process *p)
{
	struct strbuf err = STRBUF_INIT;
	uint32_t image = newest_image(pl, p->pid);
	bool refused = pl->images[image].state == IMAGE_REFUSED;

	pl->young |= is_young(&pl->images[image]);
	if (is_due(&pl->images[image], p) && perls_look(pl, p, &err) < 0 && !refused)
		strbuf_addf(pl->refusals, "process %u: %s\n", p->pid, err.buf);
	strbuf_release(&err);
}

bool perls_update(struct perls *pl)
{
	pl->young = false;
	for (size_t i = 0; i < pl->ps->nr; i++)
		if (!pl->ps->list[i].gone)
			update(pl, &pl->ps->list[i]);
	return pl->young;
}

bool perls_any(const struct perls *pl)
{
	for (size_t i = 1; i < pl->nr_images; i++)
		if (pl->images[i].state == IMAGE_FOUND)
			return true;
	return false;
}

void perls_forked(struct perls *pl, uint32_t parent, uint32_t child)
{
	const uint32_t *known = table_get(&pl->by_pid, parent, 0);

	if (!known)
		return;
	uint32_t of_parent = *known, number = add_image(pl, child, of_parent);
	struct perl_image *image = &pl->images[number];
	const struct process *p = processes_known(pl->ps, child);

	if (pl->images[of_parent].state != IMAGE_FOUND)
		return; /* not yet: it is looked at as all that are new */
	image->state = IMAGE_FOUND;
	image->layout = pl->images[of_parent].layout;
	image->changes = p ? p->changes : 0;
	image->began_ns = 0; /* all is there from the beginning */
	if (task_lives(child, 0))
		tell_programs(pl, image);
}

void perls_executed(struct perls *pl, uint32_t pid)
{
	add_image(pl, pid, 0);
}

void perls_ended(struct perls *pl, uint32_t pid)
{
	if (pl->map >= 0)
		bpf_map_delete_elem(pl->map, &pid);
}

/* ---- what frames are called ---- */

static uint32_t add_name(struct perls *pl, const struct perl_named *name)
{
	bool is_new;
	uint32_t *at = table_put(&pl->by_name,
		hash_pair((uint64_t)name->function << 32 | name->file, name->line), name->what,
		&is_new);

	if (!is_new)
		return *at;
	ALLOC_GROW(pl->names, pl->nr_names, pl->names_alloc);
	pl->names[pl->nr_names] = *name;
	return *at = (uint32_t)pl->nr_names++;
}

static uint32_t name_of(struct perls *pl, uint64_t what, const struct perl_texts *texts)
{
	struct perl_named name = {.what = what & ~VM_ADDRESS, .line = texts->line};
	struct strbuf text = STRBUF_INIT;

	if (perl_texts_name(texts, what >> 56 & 7, &text))
		name.function = strpool_adds(&pl->strings, text.buf);
	strbuf_reset(&text);
	if (perl_texts_file(texts, &text))
		name.file = strpool_adds(&pl->strings, text.buf);
	else
		name.line = 0;
	strbuf_release(&text);
	return add_name(pl, &name);
}

void perls_told(struct perls *pl, const struct ring_perl *told)
{
	const struct perl_words *words = &told->key.words;
	bool is_new;
	uint32_t *at = table_put(&pl->by_frame, hash_pair(words->what, words->at),
		newest_image(pl, told->key.tgid), &is_new);

	if (is_new || !pl->names[*at].function)
		*at = name_of(pl, told->what, &told->texts);
}

/* The name of the frame in IMAGE, or in one of its parents; NULL: there is none. */
static const uint32_t *inherited_name(
	const struct perls *pl, uint32_t image, const struct perl_words *words)
{
	for (int i = 0; image && i < IMAGES_BEFORE; i++, image = pl->images[image].before) {
		const uint32_t *at =
			table_get(&pl->by_frame, hash_pair(words->what, words->at), image);

		if (at)
			return at;
	}
	return NULL;
}

/*
 * The same for a row of process PID: it may be that of an earlier image. And the programs tell a
 * frame of a number of a process once, whoever else gets that number.
 */
static const uint32_t *known_name(struct perls *pl, uint32_t pid, const struct perl_words *words)
{
	uint32_t image = newest_image(pl, pid);

	for (int i = 0; image && i < IMAGES_BEFORE; i++, image = pl->images[image].older) {
		const uint32_t *at = inherited_name(pl, image, words);

		if (at)
			return at;
	}
	return NULL;
}

uint32_t perls_name(struct perls *pl, uint32_t pid, const struct perl_words *words)
{
	const uint32_t *known = known_name(pl, pid, words);

	return known ? *known : add_name(pl, &(struct perl_named){.what = words->what >> 56 << 56});
}

enum vm_end perls_stack(
	struct perls *pl, uint32_t pid, uint64_t thread, bool mixed, uint64_t *names, uint32_t *nr)
{
	uint32_t number = newest_image(pl, pid);
	const struct perl_image *image = &pl->images[number];
	struct memory memory = memory_of_process(&pid);
	struct vm_frame frames[PERL_DEPTH];
	struct perl_stack stack = {.frames = frames, .max = PERL_DEPTH, .mixed = mixed};
	enum vm_end end = VM_NOT_RUNNING;

	if (image->state == IMAGE_FOUND)
		end = perl_walk_thread(&image->layout, &memory, thread, &stack);
	*nr = end == VM_WHOLE || end == VM_CUT ? (uint32_t)stack.nr : 0;
	for (uint32_t i = 0; i < *nr; i++) {
		struct perl_texts texts;

		perl_frame_texts(&image->layout, &memory, &frames[i], &texts);
		names[i] = name_of(pl, frames[i].what, &texts);
	}
	return end;
}
