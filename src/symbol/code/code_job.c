/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "code_job.h"
#include "arch/x86_64/elf_names.h"
#include "code.h"
#include "disassembler.h"
#include "kcore.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "symbol/dwarf/debuginfo.h"
#include "symbol/elf/ehframe.h"
#include "symbol/elf/elffile_internal.h"
#include "symbol/elf/symtab.h"
#include "symbol/job_files.h"
#include "symbol/packed.h"

#include <stdlib.h>
#include <string.h>

enum {
	CODE_MAX = 1 << 20,      /* most bytes of all functions together */
	POSITIONS_MAX = 1 << 23, /* the same without text */
	SEGMENTS = 16,
	PLT_STUB = 16,  /* bytes */
	PARTS_MAX = 64, /* most parts of a function that other symbols divide */
};

struct code_work {
	struct code_job *job;
	struct job_files files;
	struct code code;
	struct elf_code segments[SEGMENTS];
	size_t nr_segments;
	uint64_t *addresses; /* of the locations, or UINT64_MAX if not known */
	uint64_t left;       /* bytes of code that may still be read */
	unsigned char *copy; /* copy of code in /proc/kcore */
	struct disassembler *disassembler;
};

/* ---- where functions are ---- */

static struct code_function by_symbol(struct code_work *w, const struct symtab_hit *hit)
{
	struct code_function f = {.start = hit->start, .end = hit->end};
	struct symtab_hit next;

	if (hit->plt)
		f.end = hit->start + PLT_STUB;
	for (int i = 0; !hit->plt && f.end != UINT64_MAX && i < PARTS_MAX; i++) {
		if (!symtab_find(w->files.symtab, f.end, &next) || next.start != hit->start)
			break;
		f.end = next.end;
	}
	return f;
}

/* Returns the function at ADDRESS, whose end may be too high, or 0 for its start and end. */
static struct code_function find_function(
	struct code_work *w, uint64_t address, const struct kernel_place *kernel)
{
	struct ehframe_function f;
	struct symtab_hit hit;

	if (job_files_function(&w->files, address, &hit))
		return by_symbol(w, &hit);
	if (kernel && kernel->after)
		return (struct code_function){
			.start = address - kernel->before, .end = address + kernel->after};
	if (w->files.elf && ehframe_function(w->files.elf, address, &f)) {
		uint64_t next = ehframe_next(w->files.elf, f.start);

		return (struct code_function){.start = f.start, .end = next ? next : UINT64_MAX};
	}
	return (struct code_function){0};
}

static int compare_functions(const void *a, const void *b)
{
	const struct code_function *x = a, *y = b;

	return compare_u64(x->start, y->start);
}

/* Sorts the functions. If one is inside another, the outer one ends where the inner one starts. */
static void sort_functions(struct code *code)
{
	uint32_t nr = 0;

	if (code->header.nr_functions)
		qsort(code->functions, code->header.nr_functions, sizeof(*code->functions),
			compare_functions);
	for (uint32_t i = 0; i < code->header.nr_functions; i++) {
		const struct code_function *f = &code->functions[i];

		if (nr && code->functions[nr - 1].start == f->start) {
			if (code->functions[nr - 1].end < f->end)
				code->functions[nr - 1].end = f->end;
			continue;
		}
		if (nr && code->functions[nr - 1].end > f->start)
			code->functions[nr - 1].end = f->start;
		code->functions[nr++] = *f;
	}
	code->header.nr_functions = nr;
}

static void find_functions(struct code_work *w)
{
	const struct code_job *job = w->job;
	struct code *code = &w->code;
	const struct code_function *last = NULL;

	for (size_t i = 0; i < job->lookup.nr_locations; i++) {
		uint64_t address = w->addresses[i];

		if (address == UINT64_MAX ||
			(last && address >= last->start && address < last->end))
			continue;
		struct code_function f = find_function(
			w, address, job->kernel_places ? &job->kernel_places[i] : NULL);

		if (f.start >= f.end || address < f.start || address >= f.end)
			continue;
		ALLOC_GROW(code->functions, code->header.nr_functions, code->functions_alloc);
		last = &code->functions[code->header.nr_functions];
		code->functions[code->header.nr_functions++] = f;
	}
	sort_functions(code);
}

/* ---- the bytes ---- */

/* Finds the section of a kernel's debug file with ADDRESS. Returns false if it has no contents. */
static bool find_section(const struct elffile *elf, uint64_t address, struct elf_code *code)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;

	while ((scn = elf_nextscn(elffile_elf(elf), scn))) {
		Elf_Data *data;

		if (!gelf_getshdr(scn, &shdr) || shdr.sh_type != SHT_PROGBITS ||
			!(shdr.sh_flags & SHF_EXECINSTR) || address < shdr.sh_addr ||
			address - shdr.sh_addr >= shdr.sh_size)
			continue;
		data = elf_rawdata(scn, NULL);
		*code = (struct elf_code){
			shdr.sh_addr, data ? data->d_size : 0, data ? data->d_buf : NULL};
		return code->bytes && address - code->address < code->size;
	}
	return false;
}

static bool find_in_file(struct code_work *w, uint64_t address, struct elf_code *code)
{
	if (lookup_job_is_kernel(&w->job->lookup)) /* a module's file is not relocated */
		return w->files.debug && !strcmp(w->job->lookup.path, "[kernel]") &&
		       find_section(w->files.debug, address, code);
	for (size_t i = 0; i < w->nr_segments; i++) {
		*code = w->segments[i];
		if (address >= code->address && address - code->address < code->size)
			return true;
	}
	return false;
}

/* Returns the code of F, or NULL. Lowers the end of F to the end of the code that is there. */
static const unsigned char *read_bytes(struct code_work *w, struct code_function *f)
{
	struct elf_code code = {0};
	uint64_t size;

	if (find_in_file(w, f->start, &code)) {
		size = code.size - (f->start - code.address);
		f->end = f->end - f->start > size ? f->start + size : f->end;
		return code.bytes + (f->start - code.address);
	}
	size = f->end - f->start;
	if (w->job->kcore < 0 || size > CODE_MAX)
		return NULL;
	free(w->copy);
	w->copy = xmalloc(size);
	return kcore_read(w->job->kcore, f->start - w->files.text + w->job->text_now, w->copy, size)
		       ? NULL
		       : w->copy;
}

/* ---- instructions ---- */

static void set_target(struct code_work *w, struct code_insn *insn, uint64_t target)
{
	struct symtab_hit hit;

	if (!job_files_function(&w->files, target, &hit))
		return;
	insn->target = strpool_add(&w->code.strings, hit.name,
		hit.name_len < PACKED_STRING_MAX ? hit.name_len : PACKED_STRING_MAX);
	insn->target_offset = target - hit.start;
	insn->target_is_plt = hit.plt;
}

/* Disassembles F without the padding at its end, but at least up to the address NEEDED. */
static void disassemble(
	struct code_work *w, struct code_function *f, const unsigned char *bytes, uint64_t needed)
{
	struct disassembled insn = {.text = STRBUF_INIT};
	struct code *code = &w->code;
	uint32_t kept = code->header.nr_insns;

	f->first = kept;
	for (uint64_t at = f->start; at < f->end; at += insn.size) {
		disassembler_read(w->disassembler, bytes + (at - f->start), f->end - at, at, &insn);
		ALLOC_GROW(code->insns, code->header.nr_insns, code->insns_alloc);
		code->insns[code->header.nr_insns] = (struct code_insn){
			.address = at,
			.size = insn.size,
			.text = w->job->positions ? 0
						  : packed_string(&code->strings, insn.text.buf),
		};
		if (insn.has_target && !w->job->positions)
			set_target(w, &code->insns[code->header.nr_insns], insn.target);
		code->header.nr_insns++;
		if (!insn.is_padding || at <= needed)
			kept = code->header.nr_insns;
	}
	code->header.nr_insns = kept;
	f->nr = kept - f->first;
	strbuf_release(&insn.text);
}

/* Returns the last sampled address of F, or 0 if there is none. */
static uint64_t last_sampled(const struct code_work *w, const struct code_function *f)
{
	uint64_t last = 0;

	for (size_t i = 0; i < w->job->lookup.nr_locations; i++)
		if (w->addresses[i] >= f->start && w->addresses[i] < f->end &&
			w->addresses[i] > last)
			last = w->addresses[i];
	return last;
}

static void read_function(struct code_work *w, struct code_function *f)
{
	const unsigned char *bytes = read_bytes(w, f);

	f->gap = !bytes ? CODE_ABSENT : f->end - f->start > w->left ? CODE_TOO_LARGE : CODE_THERE;
	if (f->gap)
		return;
	w->left -= f->end - f->start;
	disassemble(w, f, bytes, last_sampled(w, f));
}

/*
 * Gives instruction I the frames from FIRST on, which were just added or, if they are the same, the
 * frames of the instruction before it.
 */
static void share_frames(struct code *code, size_t i, uint32_t first)
{
	const struct code_frame *frames = code->frames;
	struct code_insn *insn = &code->insns[i], *before = i ? insn - 1 : NULL;

	insn->first = first;
	insn->nr = code->header.nr_frames - first;
	if (!before || before->nr != insn->nr ||
		memcmp(&frames[before->first], &frames[first], insn->nr * sizeof(*frames)) != 0)
		return;
	insn->first = before->first;
	code->header.nr_frames = first;
}

static void take_frames(void *arg, size_t i, const struct debuginfo_frame *frames, size_t nr)
{
	struct code *code = arg;
	uint32_t first = code->header.nr_frames;

	for (size_t k = 0; k < nr; k++) {
		const struct debuginfo_frame *f = &frames[k];

		ALLOC_GROW(code->frames, code->header.nr_frames, code->frames_alloc);
		code->frames[code->header.nr_frames++] = (struct code_frame){
			.function = f->function ? packed_string(&code->strings, f->function) : 0,
			.file = f->file ? packed_string(&code->strings, f->file) : 0,
			.line = f->line,
			.first_line = f->first_line,
			.discriminator = f->discriminator,
		};
	}
	share_frames(code, i, first);
}

static void find_lines(struct code_work *w)
{
	uint32_t nr = w->code.header.nr_insns;
	uint64_t *addresses = xcalloc(nr, sizeof(*addresses));

	for (uint32_t i = 0; i < nr; i++)
		addresses[i] = w->code.insns[i].address;
	if (w->job->positions)
		debuginfo_find_positions(w->files.debuginfo);
	debuginfo_find(w->files.debuginfo, addresses, nr, true, take_frames, &w->code);
	free(addresses);
}

/* Returns 1 + the number of the instruction at ADDRESS, or 0 if there is none. */
static uint32_t find_insn(const struct code *code, uint64_t address)
{
	uint32_t low = 0, high = code->header.nr_insns;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (code->insns[mid].address <= address)
			low = mid + 1;
		else
			high = mid;
	}
	return low && address - code->insns[low - 1].address < code->insns[low - 1].size ? low : 0;
}

/* ---- the file ---- */

static bool is_known_machine(struct code_work *w)
{
	const struct elffile *elf = w->files.elf ? w->files.elf : w->files.debug;
	GElf_Ehdr ehdr;

	if (!elf || (gelf_getehdr(elffile_elf(elf), &ehdr) && ehdr.e_machine == MACHINE))
		return true;
	w->code.header.machine = ehdr.e_machine ? ehdr.e_machine : UINT32_MAX;
	return false;
}

static void open_code(struct code_work *w)
{
	struct job_files *files = &w->files;

	job_files_open(files, &w->job->lookup, &w->code.header.about);
	w->code.header.is_recorded = files->elf != NULL;
	if (files->elf)
		w->nr_segments = elffile_code(files->elf, w->segments, SEGMENTS);
	if (!lookup_job_is_kernel(&w->job->lookup))
		return;
	if (files->debug)
		files->symtab = symtab_new(NULL, files->debug, NULL);
	else
		files->text = w->job->text_now; /* the addresses of this boot */
	if (!files->debug)
		files->text_size = UINT64_MAX;
}

static void read_code(struct code_work *w)
{
	const struct lookup_job *job = &w->job->lookup;
	struct code_header *h = &w->code.header;

	for (size_t i = 0; i < job->nr_locations; i++)
		if (!job_files_address(&w->files, &job->locations[i], &w->addresses[i]))
			w->addresses[i] = UINT64_MAX;
	find_functions(w);
	for (uint32_t i = 0; i < h->nr_functions; i++)
		read_function(w, &w->code.functions[i]);
	if (w->files.debuginfo && h->nr_insns)
		find_lines(w);
	w->code.places = xcalloc(job->nr_locations, sizeof(*w->code.places));
	h->nr_places = (uint32_t)job->nr_locations;
	for (size_t i = 0; i < job->nr_locations; i++)
		if (w->addresses[i] != UINT64_MAX)
			w->code.places[i] = find_insn(&w->code, w->addresses[i]);
}

void code_job_work(struct code_job *job, struct strbuf *output)
{
	struct code_work w = {
		.job = job,
		.left = job->positions ? POSITIONS_MAX : CODE_MAX,
		.addresses = xcalloc(job->lookup.nr_locations, sizeof(*w.addresses)),
		.disassembler = disassembler_new(job->intel),
	};

	code_init(&w.code);
	open_code(&w);
	if (w.disassembler && is_known_machine(&w))
		read_code(&w);
	code_write(&w.code, output);
	disassembler_free(w.disassembler);
	job_files_close(&w.files);
	code_release(&w.code);
	free(w.addresses);
	free(w.copy);
}
