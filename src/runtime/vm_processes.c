/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vm_processes.h"
#include "lib/hash.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "process/inspect.h"
#include "process/process.h"
#include "process/reader.h"
#include "process/task.h"
#include "symbol/elf/elffacts.h"
#include "symbol/fetch/debuginfod_open.h"

#include <bpf/bpf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
	IMAGES_BEFORE = 16,            /* parents whose names are searched */
	IMAGES_OLDER = VM_GENERATIONS, /* of a process, which are kept for rows that come late */
};

static const struct facet_ops ops;

void vm_processes_init(
	struct vm_processes *vp, uint32_t kinds, struct processes *ps, const struct vm_names *names)
{
	const struct vm *only = vm_only(kinds);

	*vp = (struct vm_processes){.kinds = kinds, .names = *names};
	facet_init(&vp->facet, &ops, only ? only->language->title : "an interpreter", ps);
	table_init(&vp->by_pid);
	table_init(&vp->by_frame);
	table_init(&vp->by_object);
	vm_sources_init(&vp->sources);
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
	vm_sources_release(&vp->sources);
	facet_release(&vp->facet);
	*vp = (struct vm_processes){0};
}

/* ---- images ---- */

/* A child has the generation of its parent, whose layout the programs give it. */
static uint16_t next_generation(const struct vm_processes *vp, uint32_t before, uint32_t older)
{
	if (before)
		return vp->images[before].generation;
	return (vp->images[older].generation + 1) % VM_GENERATIONS;
}

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
	vp->images[number] = (struct vm_image){.pid = pid,
		.before = before,
		.older = *newest,
		.generation = next_generation(vp, before, *newest)};
	return *newest = number;
}

static uint32_t newest_image(struct vm_processes *vp, uint32_t pid)
{
	const uint32_t *known = table_get(&vp->by_pid, pid, 0);

	return known && *known ? *known : add_image(vp, pid, 0);
}

/*
 * Returns the image of PID that has this generation. It is added if there is none: the event of the
 * process's fork has not been read yet.
 */
static uint32_t image_of(struct vm_processes *vp, uint32_t pid, uint16_t generation)
{
	const uint32_t *newest = table_get(&vp->by_pid, pid, 0);
	uint32_t image = newest ? *newest : 0;

	for (int i = 0; image && i < IMAGES_OLDER; i++, image = vp->images[image].older)
		if (vp->images[image].generation == generation)
			return image;
	image = add_image(vp, pid, 0);
	vp->images[image].generation = generation;
	return image;
}

/*
 * Returns image NUMBER, until another one is added. In vp->images[add_image(...)], the list might
 * be read before it moves.
 */
static struct vm_image *image_at(const struct vm_processes *vp, uint32_t number)
{
	return &vp->images[number];
}

/* Finds out for all new files at once which interpreters they have. */
static void look_at_objects(struct vm_processes *vp)
{
	const struct processes *ps = vp->facet.ps;
	struct elf_question *list;
	size_t nr = 0;

	if (vp->nr_objects == ps->nr_objects_added)
		return;
	vp->nr_objects = ps->nr_objects_added;
	list = xcalloc(NR_VMS * ps->nr_objects, sizeof(*list));
	for (size_t i = 0; i < ps->nr_objects; i++)
		for (size_t v = 0; ps->objects[i].elf && v < NR_VMS; v++)
			if (vp->kinds & VM_BIT(vms[v]->kind))
				list[nr++] = (struct elf_question){
					ps->objects[i].elf, FACT_VARIABLE, vms[v]->symbol, 0, NULL};
	elffacts_ask(list, nr);
	free(list);
}

static bool has_interpreter(const struct vm_processes *vp, const struct vm *vm, size_t object)
{
	const struct elffile *elf = vp->facet.ps->objects[object].elf;
	struct elf_variable unused;

	return elf && elffacts_variable(elf, vm->symbol, &unused);
}

/* Finds the file in which P has the interpreter VM. Returns false if there is none. */
static bool find_object(
	const struct vm_processes *vp, const struct vm *vm, const struct process *p, size_t *object)
{
	for (size_t i = 0; i < p->nr_maps; i++) {
		const struct mapping *m = &vp->facet.ps->maps[p->maps[i]];

		*object = m->object;
		if (m->to_ns == INT64_MAX && has_interpreter(vp, vm, m->object))
			return true;
	}
	return false;
}

/* How a process has an interpreter. The larger, the more likely it is the program's own language.
 */
enum tie {
	TIE_NONE,
	TIE_LOADED, /* something else loads it */
	TIE_LINKED, /* the executable names it as a needed library */
	TIE_WITHIN, /* the executable contains it */
};

/* Returns how P, whose executable is in the mapping MAIN if that is not NULL, has VM. */
static enum tie tie_of(const struct vm_processes *vp, const struct vm *vm, const struct process *p,
	const struct mapping *main)
{
	const struct object *objects = vp->facet.ps->objects;
	size_t object;

	if (!find_object(vp, vm, p, &object))
		return TIE_NONE;
	if (!main)
		return TIE_LOADED;
	if (main->object == object)
		return TIE_WITHIN;
	return objects[main->object].elf && elffacts_needs(objects[main->object].elf,
						    file_name(objects[object].path))
		       ? TIE_LINKED
		       : TIE_LOADED;
}

/*
 * Returns the interpreter of KINDS whose language P is most likely written in: perl that has loaded
 * libpython is a Perl program. Returns NULL if P has none of them.
 */
static const struct vm *most_likely(
	const struct vm_processes *vp, uint32_t kinds, const struct process *p)
{
	const struct mapping *main = process_find(vp->facet.ps, p, task_code(p->pid));
	const struct vm *vm, *best = NULL;
	enum tie closest = TIE_NONE;

	for (; (vm = vm_first(kinds)); kinds &= ~VM_BIT(vm->kind)) {
		enum tie tie = tie_of(vp, vm, p, main);

		if (tie > closest) {
			closest = tie;
			best = vm;
		}
	}
	return best;
}

/*
 * Returns a layout of VM in the object NUMBER: the layout of IMAGE if it was found there, or else
 * another image's. Returns NULL if there is none.
 */
static const struct vm_layout *find_like(const struct vm_processes *vp, const struct vm *vm,
	const struct vm_image *image, size_t number)
{
	uint64_t id = vp->facet.ps->objects[number].id;
	const uint32_t *at = table_get(&vp->by_object, number, id);
	const struct vm_layout *like = at ? &vp->images[*at].layout : NULL;

	if (image->object == id)
		like = &image->layout;
	return like && like->kind == vm->kind ? like : NULL;
}

/* Finds VM in P, with the results of vm->find, and *OBJECT, its file. */
static int find_vm(struct vm_processes *vp, const struct vm *vm, const struct process *p,
	const struct vm_image *image, struct vm_layout *layout, size_t *object, struct strbuf *err)
{
	bool recording = vp->facet.map >= 0; /* then it has to be fast */
	struct target t;

	if (!find_object(vp, vm, p, object))
		return 1;
	inspect_init(&t, vp->facet.ps, p, NULL);
	t.debuginfo = recording ? DEBUGINFO_LAST : DEBUGINFO_FIRST;
	t.fetch = vp->fetch && !recording ? debuginfod_open_as_user : NULL;
	int found = vm->find(&t, find_like(vp, vm, image, *object), layout, err);

	if (!found && vp->with_operators && vm->find_operators)
		vm->find_operators(&t, layout);
	inspect_release(&t);
	return found;
}

/* Notes that process PID runs OTHER besides the interpreter that is taken. */
static void note_two(
	struct vm_processes *vp, uint32_t pid, const struct vm *taken, const struct vm *other)
{
	if (vp->two.pid)
		vp->two.others++;
	else
		vp->two = (struct vm_two){pid, 0, taken, other};
}

/* Looks whether P, in which an interpreter was found first in IMAGE, runs another one, too. */
static void find_other(
	struct vm_processes *vp, const struct process *p, const struct vm_image *image)
{
	const struct vm *taken = vm_of_kind(image->layout.kind), *vm;
	uint32_t kinds = vp->kinds & ~VM_BIT(taken->kind);
	struct strbuf ignored = STRBUF_INIT;
	struct vm_layout layout;
	size_t object;

	for (; (vm = vm_first(kinds)); kinds &= ~VM_BIT(vm->kind))
		if (!find_vm(vp, vm, p, image, &layout, &object, &ignored)) {
			note_two(vp, p->pid, taken, vm);
			break;
		}
	strbuf_release(&ignored);
}

/*
 * Finds the interpreter of KINDS in P. Returns 0, or 1 if there is none, or -1 with ERR if there
 * are only such that cannot be walked. What was found before stays if P has lost its memory
 * meanwhile, as it ends: then only a part of the names of an interpreter's functions may have been
 * read.
 */
static int find_one(struct vm_processes *vp, uint32_t kinds, const struct process *p,
	struct vm_image *image, struct strbuf *err)
{
	struct vm_layout layout;
	const struct vm *vm;
	size_t object;
	bool is_new;
	int found = 1;

	for (; found && (vm = most_likely(vp, kinds, p)); kinds &= ~VM_BIT(vm->kind)) {
		struct strbuf why = STRBUF_INIT;
		int result = find_vm(vp, vm, p, image, &layout, &object, &why);

		if (result < 0 && found > 0)
			strbuf_add(err, why.buf, why.len);
		found = result > 0 ? found : result;
		strbuf_release(&why);
	}
	if (found || (image->layout.kind != VM_NONE && !task_program(p->pid)))
		return found;
	image->layout = layout;
	image->layout.generation = image->generation;
	image->object = vp->facet.ps->objects[object].id;
	*table_put(&vp->by_object, object, image->object, &is_new) = (uint32_t)(image - vp->images);
	vp->found |= VM_BIT(layout.kind);
	return 0;
}

/*
 * Looks for the interpreter; a process keeps the one that was found first. A young process is
 * looked at again, because the path to an interpreter may change while it is being initialised.
 */
static enum facet_state look(
	struct facet *f, const struct process *p, struct facet_entry *e, struct strbuf *why)
{
	struct vm_processes *vp = (struct vm_processes *)f;
	struct vm_image *image = image_at(vp, newest_image(vp, p->pid));
	bool is_known = e->state == FACET_FOUND && image->layout.kind != VM_NONE;

	look_at_objects(vp);
	int found = find_one(vp, is_known ? VM_BIT(image->layout.kind) : vp->kinds, p, image, why);

	if (!found && !is_known)
		find_other(vp, p, image);
	if (!found)
		e->again = FACET_WHILE_YOUNG;
	return !found ? FACET_FOUND : found > 0 ? FACET_NONE : FACET_REFUSED;
}

static const void *value(struct facet *f, const struct facet_entry *e)
{
	struct vm_processes *vp = (struct vm_processes *)f;

	return &image_at(vp, newest_image(vp, e->pid))->layout;
}

/* Gives a child the interpreter of its parent, which is initialised. */
static void forked(struct facet *f, uint32_t parent, uint32_t child, int64_t time_ns)
{
	struct vm_processes *vp = (struct vm_processes *)f;
	const uint32_t *known = table_get(&vp->by_pid, parent, 0);
	uint32_t before = known ? *known : 0;

	(void)time_ns;
	if (!before)
		return;
	struct vm_image *image = image_at(vp, add_image(vp, child, before));

	if (!facet_found(f, parent))
		return; /* the child is looked at like any new process */
	image->layout = vp->images[before].layout;
	image->object = vp->images[before].object;
	facet_inherit(f, parent, child);
}

/* Begins another image, as another program has its own interpreter. */
static void executed(struct facet *f, uint32_t pid)
{
	add_image((struct vm_processes *)f, pid, 0);
}

/* Returns the image of PID, or NULL if the interpreter was not found in it. */
static const struct vm_image *found_image(const struct vm_processes *vp, uint32_t pid)
{
	const uint32_t *at = facet_found(&vp->facet, pid) ? table_get(&vp->by_pid, pid, 0) : NULL;
	const struct vm_image *image = at ? &vp->images[*at] : NULL;

	return image && image->layout.kind != VM_NONE ? image : NULL;
}

/* Returns the interpreter that was found in IMAGE. */
static const struct vm *vm_of(const struct vm_image *image)
{
	return vm_of_kind(image->layout.kind);
}

const struct vm *vm_processes_vm(const struct vm_processes *vp, uint32_t pid)
{
	const uint32_t *newest = table_get(&vp->by_pid, pid, 0);
	uint32_t image = newest ? *newest : 0;

	for (int i = 0; image && i < IMAGES_OLDER; i++, image = vp->images[image].older)
		if (vp->images[image].layout.kind != VM_NONE)
			return vm_of(&vp->images[image]);
	return vm_first(vp->kinds);
}

static const char *unfit(const struct vm_image *image)
{
	const struct vm *vm = vm_of(image);

	return vm->unfit_for_script ? vm->unfit_for_script(&image->layout) : NULL;
}

const char *vm_processes_unfit(const struct vm_processes *vp, uint32_t pid)
{
	const struct vm_image *image = found_image(vp, pid);

	return image ? unfit(image) : NULL;
}

bool vm_processes_name_by_script(const struct vm_processes *vp, uint32_t pid,
	const struct vm_printed *frame, struct strbuf *out)
{
	const struct vm_image *image = found_image(vp, pid);

	return image && vm_of(image)->name_by_script &&
	       vm_of(image)->name_by_script(&image->layout, frame, out);
}

size_t vm_processes_add_values(const struct vm_processes *vp, struct vm_values *values)
{
	size_t left_out = 0;

	for (size_t i = 1; i < vp->nr_images; i++) {
		const struct vm_image *image = &vp->images[i];

		if (found_image(vp, image->pid) == image && !unfit(image) &&
			!vm_of(image)->add_values(values, image->pid, &image->layout))
			left_out++;
	}
	return left_out;
}

/* ---- names of frames ---- */

/*
 * Returns the layout of VM in IMAGE, or an empty one if VM was not found in it: its frames may
 * arrive before the events of the process, or after the process has executed another program.
 */
static const struct vm_layout *layout_in(
	const struct vm_processes *vp, const struct vm *vm, uint32_t image)
{
	static const struct vm_layout none;
	const struct vm_layout *layout = &vp->images[image].layout;

	return layout->kind == vm->kind ? layout : &none;
}

static struct vm_source_process source_process(const struct vm_processes *vp, uint32_t image)
{
	return (struct vm_source_process){vp->images[image].pid, image, vp->images[image].before};
}

/* Gives a function of VM in IMAGE the name that it has in its source file. */
static void define(
	struct vm_processes *vp, const struct vm *vm, uint32_t image, union vm_texts *texts)
{
	const struct vm_source *source = vm->source;
	const struct vm_source_process p = source_process(vp, image);
	struct strbuf path = STRBUF_INIT;

	if (source && source->add_path(texts, &path)) {
		const struct definitions *list =
			vm_sources_functions(&vp->sources, vm, &p, path.buf);

		if (list)
			source->define(list, texts);
	}
	strbuf_release(&path);
}

/*
 * Returns a value of by_frame for a frame in IMAGE. The programs send a frame again until all of it
 * could be read.
 */
static uint32_t add_name(struct vm_processes *vp, const struct vm *vm, uint32_t image,
	const struct vm_layout *layout, uint64_t what, const union vm_texts *texts)
{
	const struct vm_source_process p = source_process(vp, image);
	struct strbuf function = STRBUF_INIT, file = STRBUF_INIT;
	struct vm_name name = {.what = what & ~VM_ADDRESS};
	uint32_t line;

	if (vm->add_name(layout, texts, what, &function))
		name.function = function.buf;
	if (vm->add_place(texts, &file, &line)) {
		name.file = file.buf;
		name.line = line;
		name.blob = vm_sources_blob(&vp->sources, vm, &p, file.buf, &name.late);
	}
	if (vm->first_line)
		name.first_line = vm->first_line(texts);
	bool whole = name.function && name.file;
	uint32_t number = vp->names.add(vp->names.context, &name) << 1 | whole;

	strbuf_release(&function);
	strbuf_release(&file);
	return number;
}

/* Returns whether the frame is a function in C. */
static bool is_code(const struct vm *vm, uint64_t what)
{
	return vm->code && VM_FRAME_TYPE(what) == vm->code;
}

/* Calls vm->code_name, if it is set. */
static const char *name_of_code(
	const struct vm *vm, const struct vm_layout *layout, uint64_t address)
{
	return vm->code_name ? vm->code_name(layout, address) : NULL;
}

const char *vm_processes_code_name(const struct vm_processes *vp, uint32_t pid, uint64_t address)
{
	const struct vm_image *image = found_image(vp, pid);

	return image ? name_of_code(vm_of(image), &image->layout, address) : NULL;
}

/*
 * Returns the number of the name of a function in C: its name in the language, or else names.code.
 */
static uint64_t code_name(struct vm_processes *vp, const struct vm *vm, uint32_t pid,
	const struct vm_layout *layout, uint64_t what)
{
	uint64_t address = what & VM_ADDRESS;
	struct vm_name name = {.what = what & ~VM_ADDRESS};

	name.function = name_of_code(vm, layout, address);
	return name.function ? vp->names.add(vp->names.context, &name)
			     : vp->names.code(vp->names.context, pid, address);
}

void vm_processes_take_frame(struct vm_processes *vp, const struct vm_new_frame *frame)
{
	const struct vm_words *words = &frame->key.words;
	const struct vm *vm = vm_of_kind(frame->key.kind);
	uint32_t image = image_of(vp, frame->key.tgid, frame->key.generation);
	bool is_new;
	uint32_t *at = table_put(&vp->by_frame, hash_pair(words->what, words->at), image, &is_new);

	vp->images[image].has_names = true;
	if (is_new || !(*at & 1)) {
		union vm_texts texts = frame->texts;

		define(vp, vm, image, &texts);
		*at = add_name(vp, vm, image, layout_in(vp, vm, image), frame->what, &texts);
	}
}

/* Returns the name of the frame in IMAGE or in one of its parents, or NULL if there is none. */
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

/* Returns the name of the frame in this generation of PID, or NULL if there is none. */
static const uint32_t *known_name(const struct vm_processes *vp, uint32_t pid, uint32_t generation,
	const struct vm_words *words)
{
	const uint32_t *newest = table_get(&vp->by_pid, pid, 0), *at;
	uint32_t image = newest ? *newest : 0;

	for (int i = 0; image && i < IMAGES_OLDER; i++, image = vp->images[image].older)
		if (vp->images[image].generation == generation &&
			(at = inherited_name(vp, image, words)))
			return at;
	return NULL;
}

uint64_t vm_processes_name(struct vm_processes *vp, const struct vm *vm, uint32_t pid,
	uint32_t generation, const struct vm_words *words)
{
	struct vm_name none = {.what = words->what >> 56 << 56};

	if (is_code(vm, words->what))
		return code_name(
			vp, vm, pid, layout_in(vp, vm, newest_image(vp, pid)), words->what);
	const uint32_t *known = known_name(vp, pid, generation, words);

	return known ? *known >> 1 : vp->names.add(vp->names.context, &none);
}

/* The layout is the newest image's even if the row belongs to an earlier one, like its functions in
 * C. */
const char *vm_processes_operator(const struct vm_processes *vp, uint32_t pid, uint16_t op)
{
	const uint32_t *at = table_get(&vp->by_pid, pid, 0);
	const struct vm_image *image = at ? &vp->images[*at] : NULL;
	const struct vm *vm = image ? vm_of(image) : NULL;

	return vm && vm->operator_name ? vm->operator_name(&image->layout, op - VM_OP(0)) : NULL;
}

/* A walk that the reader does. */
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

/* Names the frames of R, which is in the reader's memory: looking for sources takes that memory. */
static void name_walked(struct vm_processes *vp, const struct walk_request *r, uint64_t *names)
{
	const uint32_t pid = r->pid, image = newest_image(vp, pid);
	const struct vm *vm = r->vm;
	const struct vm_layout layout = r->layout;
	const size_t nr = r->stack.nr;
	struct vm_frame *frames = xcalloc(nr, sizeof(*frames));
	union vm_texts *texts = xcalloc(nr, sizeof(*texts));

	memcpy(frames, r->frames, nr * sizeof(*frames));
	memcpy(texts, r->texts, nr * sizeof(*texts));
	for (size_t i = 0; i < nr; i++) {
		if (is_code(vm, frames[i].what)) {
			names[i] = code_name(vp, vm, pid, &layout, frames[i].what);
			continue;
		}
		define(vp, vm, image, &texts[i]);
		names[i] = add_name(vp, vm, image, &layout, frames[i].what, &texts[i]) >> 1;
	}
	free(frames);
	free(texts);
}

/* ---- unreferenced images ---- */

/* Marks IMAGE, and all images in which its names may be looked up. */
static void mark_image(const struct vm_processes *vp, uint32_t image, bool *used)
{
	for (int i = 0; image && i < IMAGES_OLDER; i++, image = vp->images[image].older) {
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

		if (newest && *newest == i && processes_known(vp->facet.ps, vp->images[i].pid))
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
	return vp->facet.ps->objects[slot->a].id == slot->b;
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

/* Forgets images of processes that have ended and have no children. */
static void sweep(struct facet *f)
{
	struct vm_processes *vp = (struct vm_processes *)f;
	bool *used = xcalloc(vp->nr_images + 1, sizeof(*used)), names = false;

	drop_entries(vp, &vp->by_object, object_remains);
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
	drop_entries(vp, &vp->sources.by_path, names_remain);
	free(used);
	vp->names_dropped |= names;
}

/* Notes the processes of which only one of two interpreters is recorded. */
static void add_two(const struct vm_two *two, struct strbuf *notes)
{
	const char *taken = two->taken->language->title, *other = two->other->language->title;

	strbuf_addf(notes, "process %" PRIu32, two->pid);
	if (two->others)
		strbuf_addf(notes, " (and %" PRIu32 " more)", two->others);
	strbuf_addf(notes,
		" runs %s and %s: only its %s stacks are recorded; --%s alone records the others\n",
		taken, other, taken, two->other->language->name);
}

/* Notes the languages that none of the processes runs. */
static void note(const struct facet *f, struct strbuf *notes)
{
	const struct vm_processes *vp = (const struct vm_processes *)f;
	uint32_t missing = vp->any && vp->found ? 0 : vp->kinds & ~vp->found;
	struct strbuf titles = STRBUF_INIT;

	vm_add_titles(missing, &titles);
	if (missing)
		strbuf_addf(notes, "there are no %s stacks: none of the processes runs %s\n",
			titles.buf, titles.buf);
	if (vp->two.pid)
		add_two(&vp->two, notes);
	strbuf_release(&titles);
}

static const struct facet_ops ops = {
	.is_eager = true,
	.look = look,
	.value = value,
	.forked = forked,
	.executed = executed,
	.sweep = sweep,
	.note = note,
};

enum vm_end vm_processes_walk(struct vm_processes *vp, uint32_t pid, uint64_t thread, uint64_t sp,
	bool mixed, uint64_t *names, uint32_t *nr)
{
	const struct vm_image *image = found_image(vp, pid);
	struct walk_request *r = reader_room();
	enum vm_end end;

	*nr = 0;
	if (!image)
		return VM_NOT_RUNNING;
	if (!r)
		return VM_INCONSISTENT;
	r->vm = vm_of(image);
	r->pid = pid;
	r->thread = thread;
	r->sp = sp;
	r->layout = image->layout;
	r->stack = (struct vm_stack){.max = VM_DEPTH, .mixed = mixed};
	if (!reader_run(pid, work_walk, NULL))
		return VM_INCONSISTENT;
	end = r->end;
	*nr = (uint32_t)r->stack.nr;
	name_walked(vp, r, names);
	return end;
}
