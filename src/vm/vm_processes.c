/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vm_processes.h"
#include "lib/hash.h"
#include "lib/strbuf.h"
#include "process/inspect.h"
#include "lib/util.h"
#include "process/reader.h"
#include "process/task.h"
#include "symbol/elf/elffacts.h"
#include "symbol/fetch/debuginfod_open.h"

#include <bpf/bpf.h>
#include <inttypes.h>
#include <stdlib.h>

/*
 * An interpreter is initialised some time after its file is mapped, and the path to it may change
 * then: during YOUNG_MS it is searched for again every AGAIN_MS.
 */
enum { YOUNG_MS = 1000, AGAIN_MS = 20 };

enum { IMAGES_BEFORE = 16 }; /* parents and earlier images that are searched for names */

void vm_processes_init(struct vm_processes *vp, const struct vm *vm, struct processes *ps,
	const struct vm_names *names, struct strbuf *refusals)
{
	*vp = (struct vm_processes){
		.vm = vm, .ps = ps, .names = *names, .map = -1, .refusals = refusals};
	table_init(&vp->by_pid);
	table_init(&vp->by_frame);
	table_init(&vp->by_object);
	vp->images = xcalloc(16, sizeof(*vp->images));
	vp->images_alloc = 16;
	vp->nr_images = 1;
}

void vm_processes_release(struct vm_processes *vp)
{
	free(vp->images);
	free(vp->unused);
	table_release(&vp->by_pid);
	table_release(&vp->by_frame);
	table_release(&vp->by_object);
	*vp = (struct vm_processes){0};
}

/* ---- its location ---- */

static uint32_t add_image(struct vm_processes *vp, uint32_t pid, uint32_t before)
{
	uint32_t number;
	bool is_new;
	uint32_t *newest = table_put(&vp->by_pid, pid, 0, &is_new);

	if (vp->nr_unused) {
		number = vp->unused[--vp->nr_unused];
	} else {
		ALLOC_GROW(vp->images, vp->nr_images, vp->images_alloc);
		number = (uint32_t)vp->nr_images++;
	}
	vp->images[number] = (struct vm_image){
		.pid = pid, .before = before, .older = *newest, .began_ns = monotonic_ns()};
	return *newest = number;
}

static uint32_t newest_image(struct vm_processes *vp, uint32_t pid)
{
	const uint32_t *known = table_get(&vp->by_pid, pid, 0);

	return known && *known ? *known : add_image(vp, pid, 0);
}

/* Finds out for all new files at once whether they have the interpreter. */
static void look_at_objects(struct vm_processes *vp)
{
	const struct processes *ps = vp->ps;
	struct elf_question *list;
	size_t nr = 0;

	if (vp->nr_objects == ps->nr_objects_added)
		return;
	vp->nr_objects = ps->nr_objects_added;
	list = xcalloc(ps->nr_objects, sizeof(*list));
	for (size_t i = 0; i < ps->nr_objects; i++)
		if (ps->objects[i].elf)
			list[nr++] = (struct elf_question){
				ps->objects[i].elf, FACT_VARIABLE, vp->vm->symbol, 0, NULL};
	elffacts_ask(list, nr);
	free(list);
}

static bool has_interpreter(const struct vm_processes *vp, size_t object)
{
	const struct elffile *elf = vp->ps->objects[object].elf;
	struct elf_variable unused;

	return elf && elffacts_variable(elf, vp->vm->symbol, &unused);
}

/* The file that P has the interpreter in; false: none. */
static bool find_object(struct vm_processes *vp, const struct process *p, size_t *object)
{
	for (size_t i = 0; i < p->nr_maps; i++) {
		const struct mapping *m = &vp->ps->maps[p->maps[i]];

		*object = m->object;
		if (m->to_ns == INT64_MAX && has_interpreter(vp, m->object))
			return true;
	}
	return false;
}

static void update_map(const struct vm_processes *vp, const struct vm_image *image)
{
	if (vp->map < 0)
		return;
	if (image->state != IMAGE_FOUND)
		bpf_map_delete_elem(vp->map, &image->pid);
	else if (bpf_map_update_elem(vp->map, &image->pid, &image->layout, BPF_ANY))
		strbuf_addf(vp->refusals, "process %" PRIu32 ": too many processes with %s\n",
			image->pid, vp->vm->title);
}

/*
 * A layout in the object NUMBER: of the process itself, if it was found there before, or else of
 * another. NULL: there is none.
 */
static const struct vm_layout *find_like(
	const struct vm_processes *vp, const struct vm_image *image, size_t number)
{
	uint64_t id = vp->ps->objects[number].id;
	const uint32_t *like = table_get(&vp->by_object, number, id);

	if (image->state == IMAGE_FOUND && image->object == id)
		return &image->layout;
	return like ? &vp->images[*like].layout : NULL;
}

/* As vm->find. */
static int find(struct vm_processes *vp, const struct process *p, struct vm_image *image,
	struct strbuf *err)
{
	struct vm_layout layout;
	struct target t;
	size_t object;
	bool is_new;
	int found;

	look_at_objects(vp);
	if (!find_object(vp, p, &object))
		return 1;
	inspect_init(&t, vp->ps, p, NULL);
	t.debuginfo = vp->map < 0 ? DEBUGINFO_FIRST : DEBUGINFO_LAST; /* while recording: be fast */
	t.fetch = vp->fetch && vp->map < 0 ? debuginfod_open_as_user : NULL;
	found = vp->vm->find(&t, find_like(vp, image, object), &layout, err);
	inspect_release(&t);
	if (found)
		return found;
	image->layout = layout;
	image->object = vp->ps->objects[object].id;
	*table_put(&vp->by_object, object, vp->ps->objects[object].id, &is_new) =
		(uint32_t)(image - vp->images);
	return 0;
}

int vm_processes_look(struct vm_processes *vp, const struct process *p, struct strbuf *err)
{
	uint32_t number = newest_image(vp, p->pid);
	struct vm_image *image = &vp->images[number];
	struct strbuf why = STRBUF_INIT;
	int found = find(vp, p, image, &why);

	image->changes = p->changes;
	image->looked_ns = monotonic_ns();
	/* a process that ends meanwhile keeps its state */
	if (found < 0 && (image->state == IMAGE_FOUND || !task_lives(p->pid, 0)))
		found = image->state == IMAGE_FOUND ? 0 : 1;
	else
		image->state = !found ? IMAGE_FOUND : found > 0 ? IMAGE_NONE : IMAGE_REFUSED;
	if (found < 0)
		strbuf_add(err, why.buf, why.len);
	strbuf_release(&why);
	vp->any |= image->state == IMAGE_FOUND;
	update_map(vp, image);
	return found;
}

static bool is_young(const struct vm_image *image)
{
	return monotonic_ns() - image->began_ns < YOUNG_MS * 1000000LL;
}

static bool is_due(const struct vm_image *image, const struct process *p)
{
	return image->state == IMAGE_NEW || image->changes != p->changes ||
	       (image->state == IMAGE_FOUND && is_young(image) &&
		       monotonic_ns() - image->looked_ns > AGAIN_MS * 1000000LL);
}

void vm_processes_start(struct vm_processes *vp, int map)
{
	vp->map = map;
	for (size_t i = 1; i < vp->nr_images; i++)
		update_map(vp, &vp->images[i]);
}

static void update(struct vm_processes *vp, const struct process *p)
{
	struct strbuf err = STRBUF_INIT;
	uint32_t image = newest_image(vp, p->pid);
	bool refused = vp->images[image].state == IMAGE_REFUSED;

	vp->young |= is_young(&vp->images[image]);
	if (is_due(&vp->images[image], p) && vm_processes_look(vp, p, &err) < 0 && !refused)
		strbuf_addf(vp->refusals, "process %u: %s\n", p->pid, err.buf);
	strbuf_release(&err);
}

bool vm_processes_update(struct vm_processes *vp)
{
	vp->young = false;
	for (size_t i = 0; i < vp->ps->nr; i++)
		if (!vp->ps->list[i].gone)
			update(vp, &vp->ps->list[i]);
	return vp->young;
}

/* NULL: the interpreter was not found in the process. */
static const struct vm_image *found_image(const struct vm_processes *vp, uint32_t pid)
{
	const uint32_t *image = table_get(&vp->by_pid, pid, 0);

	return image && vp->images[*image].state == IMAGE_FOUND ? &vp->images[*image] : NULL;
}

bool vm_processes_found(const struct vm_processes *vp, uint32_t pid)
{
	return found_image(vp, pid);
}

bool vm_processes_any(const struct vm_processes *vp)
{
	return vp->any;
}

void vm_processes_forked(struct vm_processes *vp, uint32_t parent, uint32_t child)
{
	const uint32_t *known = vp->vm ? table_get(&vp->by_pid, parent, 0) : NULL;

	if (!known || !*known)
		return;
	uint32_t of_parent = *known, number = add_image(vp, child, of_parent);
	struct vm_image *image = &vp->images[number];
	const struct process *p = processes_known(vp->ps, child);

	if (vp->images[of_parent].state != IMAGE_FOUND)
		return; /* not known yet: searched as any new process */
	image->state = IMAGE_FOUND;
	image->layout = vp->images[of_parent].layout;
	image->object = vp->images[of_parent].object;
	image->changes = p ? p->changes : 0;
	image->began_ns = 0; /* initialised from the start */
	if (task_lives(child, 0))
		update_map(vp, image);
}

void vm_processes_executed(struct vm_processes *vp, uint32_t pid)
{
	if (vp->vm)
		add_image(vp, pid, 0);
}

void vm_processes_ended(struct vm_processes *vp, uint32_t pid)
{
	if (vp->map >= 0)
		bpf_map_delete_elem(vp->map, &pid);
}

static const char *unfit(const struct vm_processes *vp, const struct vm_image *image)
{
	return vp->vm->unfit_for_script ? vp->vm->unfit_for_script(&image->layout) : NULL;
}

const char *vm_processes_unfit(const struct vm_processes *vp, uint32_t pid)
{
	const struct vm_image *image = found_image(vp, pid);

	return image ? unfit(vp, image) : NULL;
}

bool vm_processes_name_by_script(const struct vm_processes *vp, uint32_t pid, uint64_t what,
	const char *name, struct strbuf *out)
{
	const struct vm_image *image = found_image(vp, pid);

	return image && vp->vm->name_by_script &&
	       vp->vm->name_by_script(&image->layout, what, name, out);
}

size_t vm_processes_add_values(const struct vm_processes *vp, struct vm_values *values)
{
	size_t left_out = 0;

	for (size_t i = 1; i < vp->nr_images; i++) {
		const struct vm_image *image = &vp->images[i];

		if (image->state == IMAGE_FOUND && !unfit(vp, image) &&
			!vp->vm->add_values(values, image->pid, &image->layout))
			left_out++;
	}
	return left_out;
}

/* ---- names of frames ---- */

/* As in by_frame. The programs send a frame again until all of it could be read. */
static uint32_t add_name(struct vm_processes *vp, const struct vm_layout *layout, uint64_t what,
	const union vm_texts *texts)
{
	struct strbuf function = STRBUF_INIT, file = STRBUF_INIT;
	struct vm_name name = {.what = what & ~VM_ADDRESS};
	uint32_t line;

	if (vp->vm->add_name(layout, texts, what, &function))
		name.function = function.buf;
	if (vp->vm->add_place(texts, &file, &line)) {
		name.file = file.buf;
		name.line = line;
	}
	if (vp->vm->first_line)
		name.first_line = vp->vm->first_line(texts);
	bool whole = name.function && name.file;
	uint32_t number = vp->names.add(vp->names.context, &name) << 1 | whole;

	strbuf_release(&function);
	strbuf_release(&file);
	return number;
}

/* Whether the frame is a function in C. */
static bool is_code(const struct vm_processes *vp, uint64_t what)
{
	return vp->vm->code && VM_FRAME_TYPE(what) == vp->vm->code;
}

/* As vm->code_name. */
static const char *name_of_code(
	const struct vm_processes *vp, const struct vm_layout *layout, uint64_t address)
{
	return vp->vm->code_name ? vp->vm->code_name(layout, address) : NULL;
}

const char *vm_processes_code_name(const struct vm_processes *vp, uint32_t pid, uint64_t address)
{
	const struct vm_image *image = found_image(vp, pid);

	return image ? name_of_code(vp, &image->layout, address) : NULL;
}

/* The number of its name: in the language, or as names.code. */
static uint64_t code_name(
	struct vm_processes *vp, uint32_t pid, const struct vm_layout *layout, uint64_t what)
{
	uint64_t address = what & VM_ADDRESS;
	struct vm_name name = {.what = what & ~VM_ADDRESS};

	name.function = name_of_code(vp, layout, address);
	return name.function ? vp->names.add(vp->names.context, &name)
			     : vp->names.code(vp->names.context, pid, address);
}

void vm_processes_take_frame(struct vm_processes *vp, const struct vm_new_frame *frame)
{
	const struct vm_words *words = &frame->key.words;
	uint32_t image = newest_image(vp, frame->key.tgid);
	bool is_new;
	uint32_t *at = table_put(&vp->by_frame, hash_pair(words->what, words->at), image, &is_new);

	vp->images[image].has_names = true;
	if (is_new || !(*at & 1))
		*at = add_name(vp, &vp->images[image].layout, frame->what, &frame->texts);
}

/* The name of the frame in IMAGE, or in one of its parents; NULL: there is none. */
static const uint32_t *inherited_name(
	const struct vm_processes *vp, uint32_t image, const struct vm_words *words)
{
	for (int i = 0; image && i < IMAGES_BEFORE; i++, image = vp->images[image].before) {
		const uint32_t *at =
			table_get(&vp->by_frame, hash_pair(words->what, words->at), image);

		if (at)
			return at;
	}
	return NULL;
}

/*
 * The same for a row of process PID, which may be of an earlier image. And the programs send a
 * frame only once per PID, even if the PID is reused.
 */
static const uint32_t *known_name(
	struct vm_processes *vp, uint32_t pid, const struct vm_words *words)
{
	uint32_t image = newest_image(vp, pid);

	for (int i = 0; image && i < IMAGES_BEFORE; i++, image = vp->images[image].older) {
		const uint32_t *at = inherited_name(vp, image, words);

		if (at)
			return at;
	}
	return NULL;
}

uint64_t vm_processes_name(struct vm_processes *vp, uint32_t pid, const struct vm_words *words)
{
	struct vm_name none = {.what = words->what >> 56 << 56};

	if (is_code(vp, words->what))
		return code_name(vp, pid, &vp->images[newest_image(vp, pid)].layout, words->what);
	const uint32_t *known = known_name(vp, pid, words);

	return known ? *known >> 1 : vp->names.add(vp->names.context, &none);
}

/* A walk in the reader. */
struct walk_request {
	const struct vm *vm;
	uint32_t pid;
	uint64_t thread, sp;
	struct vm_layout layout;
	struct vm_stack stack;
	enum vm_end end;
	struct vm_frame frames[VM_DEPTH];
	union vm_texts texts[VM_DEPTH];
};
_Static_assert(sizeof(struct walk_request) <= READER_ROOM, "it is shared with the reader");

static int work_walk(void *room, int fd)
{
	struct walk_request *r = room;
	struct memory memory = memory_of_process(&r->pid);
	const struct vm_frame none = {0};

	(void)fd;
	r->stack.frames = r->frames;
	r->end = r->vm->walk(&r->layout, &memory, r->thread, r->sp, &r->stack);
	if (r->end == VM_WHOLE && !r->stack.nr)
		r->end = VM_NOT_RUNNING;
	if (r->end != VM_WHOLE && r->end != VM_CUT)
		r->stack.nr = 0;
	for (size_t i = 0; i < r->stack.nr; i++)
		r->vm->read_texts(&r->layout, &memory, &r->frames[i],
			i + 1 < r->stack.nr ? &r->frames[i + 1] : &none, &r->texts[i]);
	return -1;
}

static uint64_t name_walked(struct vm_processes *vp, const struct walk_request *r, size_t i)
{
	uint64_t what = r->frames[i].what;

	if (is_code(vp, what))
		return code_name(vp, r->pid, &r->layout, what);
	return add_name(vp, &r->layout, what, &r->texts[i]) >> 1;
}

/* ---- what nothing refers to ---- */

/* Marks IMAGE, and all whose names may be looked up for it. */
static void mark_image(const struct vm_processes *vp, uint32_t image, bool *used)
{
	for (int i = 0; image && i < IMAGES_BEFORE; i++, image = vp->images[image].older) {
		uint32_t before = image;

		for (int k = 0; before && k < IMAGES_BEFORE;
			k++, before = vp->images[before].before)
			used[before] = true;
	}
}

static void mark_images(const struct vm_processes *vp, bool *used)
{
	for (uint32_t i = 1; i < vp->nr_images; i++) {
		const uint32_t *newest = table_get(&vp->by_pid, vp->images[i].pid, 0);

		if (newest && *newest == i && processes_known(vp->ps, vp->images[i].pid))
			mark_image(vp, i, used);
	}
	for (size_t i = 0; i <= vp->by_object.mask; i++)
		if (vp->by_object.slots[i].used)
			used[vp->by_object.slots[i].value] = true;
}

static void drop_image(struct vm_processes *vp, uint32_t number)
{
	vp->images[number] = (struct vm_image){0};
	ALLOC_GROW(vp->unused, vp->nr_unused, vp->unused_alloc);
	vp->unused[vp->nr_unused++] = number;
}

static bool object_remains(const struct vm_processes *vp, const struct table_slot *slot)
{
	return vp->ps->objects[slot->a].id == slot->b;
}

static bool image_remains(const struct vm_processes *vp, const struct table_slot *slot)
{
	return vp->images[slot->value].pid == slot->a;
}

static bool names_remain(const struct vm_processes *vp, const struct table_slot *slot)
{
	return vp->images[slot->b].pid;
}

static void drop_entries(const struct vm_processes *vp, struct table *t,
	bool (*remains)(const struct vm_processes *vp, const struct table_slot *slot))
{
	struct table kept;
	bool is_new;

	table_init(&kept);
	for (size_t i = 0; i <= t->mask; i++) {
		const struct table_slot *slot = &t->slots[i];

		if (slot->used && remains(vp, slot))
			*table_put(&kept, slot->a, slot->b, &is_new) = slot->value;
	}
	table_release(t);
	*t = kept;
}

bool vm_processes_sweep(struct vm_processes *vp)
{
	bool *used = xcalloc(vp->nr_images + 1, sizeof(*used)), names = false;

	drop_entries(vp, &vp->by_object, object_remains);
	if (vp->vm)
		mark_images(vp, used);
	for (uint32_t i = 1; i < vp->nr_images; i++) {
		struct vm_image *image = &vp->images[i];

		image->before = used[image->before] ? image->before : 0;
		image->older = used[image->older] ? image->older : 0;
		if (used[i] || !image->pid)
			continue;
		names |= image->has_names;
		drop_image(vp, i);
	}
	drop_entries(vp, &vp->by_pid, image_remains);
	if (names)
		drop_entries(vp, &vp->by_frame, names_remain);
	free(used);
	return names;
}

bool vm_processes_has(const struct vm_processes *vp, uint32_t pid)
{
	return table_get(&vp->by_pid, pid, 0);
}

enum vm_end vm_processes_walk(struct vm_processes *vp, uint32_t pid, uint64_t thread, uint64_t sp,
	bool mixed, uint64_t *names, uint32_t *nr)
{
	const struct vm_image *image = &vp->images[newest_image(vp, pid)];
	struct walk_request *r = reader_room();

	*nr = 0;
	if (image->state != IMAGE_FOUND)
		return VM_NOT_RUNNING;
	if (!r)
		return VM_INCONSISTENT;
	r->vm = vp->vm;
	r->pid = pid;
	r->thread = thread;
	r->sp = sp;
	r->layout = image->layout;
	r->stack = (struct vm_stack){.max = VM_DEPTH, .mixed = mixed};
	if (!reader_run(pid, work_walk, NULL))
		return VM_INCONSISTENT;
	for (size_t i = 0; i < r->stack.nr; i++)
		names[i] = name_walked(vp, r, i);
	*nr = (uint32_t)r->stack.nr;
	return r->end;
}
