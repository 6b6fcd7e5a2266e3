/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "module_frame.h"
#include "folded.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "notes.h"

#include <inttypes.h>
#include <string.h>

#define KERNEL_OF_PERF "[kernel.kallsyms]"
#define KERNEL "[kernel]"

static bool ends(const char *s, size_t len, const char *with)
{
	return len >= strlen(with) && !memcmp(s + len - strlen(with), with, strlen(with));
}

static bool is(const char *s, size_t len, const char *other)
{
	return len == strlen(other) && !memcmp(s, other, len);
}

/*
 * Whether MODULE names the kernel's image or a kernel module by one word in brackets, such as
 * "[kernel.kallsyms]" or "[nf_tables]".
 */
static bool is_kernel_word(const char *module, size_t len)
{
	static const char *const user[] = {"[vdso", "[vsyscall", "[vvar", "[heap", "[stack",
		"[anon", "[uprobes", "[vectors", "[sigpage", "[unknown]"};

	for (size_t i = 0; i < ARRAY_LEN(user); i++)
		if (begins_with(module, len, user[i]))
			return false;
	return !memchr(module, ' ', len) && !memchr(module, ':', len) && module[len - 1] == ']';
}

/*
 * A name in brackets belongs to the kernel, unless it is the name of code without a file or of an
 * interpreter.
 */
static enum frame_kind kind_of_brackets(const char *module, size_t len)
{
	const struct language *language = language_of_module(module, len);

	if (begins_with(module, len, "[JIT") || is(module, len, "[jit]"))
		return FRAME_JIT;
	if (language)
		return language_frame(language);
	return is_kernel_word(module, len) ? FRAME_KERNEL : FRAME_USER;
}

/*
 * Whether MODULE is memory of a JIT compiler: perf-PID.map, jitted-*.so, or a code cache of
 * Android's ART.
 */
static bool is_jit(const char *module, size_t len, const char *file, size_t n)
{
	return (begins_with(file, n, "perf-") && ends(file, n, ".map")) ||
	       (begins_with(file, n, "jitted-") && ends(file, n, ".so")) ||
	       memmem(module, len, "jit-cache", 9) || memmem(module, len, "jit-code-cache", 14);
}

static bool is_kernel_file(const char *file, size_t len)
{
	static const char *const endings[] = {".ko", ".ko.gz", ".ko.xz", ".ko.zst", ".ko.debug"};

	for (size_t i = 0; i < ARRAY_LEN(endings); i++)
		if (ends(file, len, endings[i]))
			return true;
	return begins_with(file, len, "vmlinux") || begins_with(file, len, "bpf_prog_") ||
	       begins_with(file, len, "bpf_trampoline_") || begins_with(file, len, "kcore");
}

enum frame_kind module_kind(const char *module, size_t len)
{
	const char *slash = len ? memrchr(module, '/', len) : NULL;
	const char *file = slash ? slash + 1 : module;
	size_t n = len - (size_t)(file - module);

	if (is_jit(module, len, file, n))
		return FRAME_JIT;
	if (len && *module == '[')
		return kind_of_brackets(module, len);
	return is_kernel_file(file, n) ? FRAME_KERNEL : FRAME_USER;
}

uint32_t module_frame_source(struct profile *p, const char *file, size_t len, uint64_t line)
{
	const char *slash = len ? memrchr(file, '/', len) : NULL;
	struct strbuf text = STRBUF_INIT;
	uint32_t source;

	if (!len || !line)
		return 0;
	strbuf_add(&text, slash ? slash + 1 : file, slash ? (size_t)(file + len - slash - 1) : len);
	strbuf_addf(&text, ":%" PRIu64, line);
	source = strpool_add(&p->names, text.buf, text.len);
	strbuf_release(&text);
	return source;
}

static uint32_t named_entry(
	struct stacks *s, const struct module_frame *f, const char *name, size_t len)
{
	enum frame_kind kind = module_kind(f->module, f->module_len);
	struct frame frame = {.source = f->source, .place = f->place};
	size_t without_suffix = len;

	if (folded_kind(name, &without_suffix) == FRAME_WAKER) {
		kind = FRAME_WAKER;
		len = without_suffix;
	}
	if (is(f->module, f->module_len, KERNEL_OF_PERF))
		frame.module = strpool_adds(&s->p->names, KERNEL);
	else if (!frame_language(kind)) /* whose module is no file */
		frame.module = strpool_add(&s->p->names, f->module, f->module_len);
	frame.name = strpool_add(&s->p->names, name, len);
	frame.kind = f->inlined ? FRAME_INLINE : kind;

	uint32_t entry = profile_add_frame(s->p, &frame);

	if (frame.kind == FRAME_INLINE)
		return entry | ENTRY_UNCOUNTED;
	return entry | (frame_is_unnamed(s->p, entry) ? ENTRY_UNNAMED : 0);
}

uint32_t module_frame_entry(struct stacks *s, const struct module_frame *f)
{
	struct strbuf name = STRBUF_INIT;
	uint32_t entry;

	if (f->name_len)
		strbuf_add(&name, f->name, f->name_len);
	else
		set_unnamed(&name, f->module, f->module_len);
	if (name_is_note(name.buf, name.len))
		entry = stacks_note(s, name.buf);
	else
		entry = named_entry(s, f, name.buf, name.len);
	strbuf_release(&name);
	return entry;
}
