/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Perl's stacks in memory that may hold anything. The first byte chooses the layout of the perl,
 * each three of the others become a word of memory. The memory begins with the words that are taken
 * for the interpreter.
 */
#include "fuzz.h"
#include "lib/strbuf.h"
#include "runtime/perl/perl_walk.h"

#include <string.h>

enum { WORDS_MAX = 4096, DEPTH = 64, READS_MAX = 1 << 18 };

static const uint64_t base = 0x550000000000;

static struct image {
	uint64_t words[WORDS_MAX];
	size_t nr;
	size_t reads;
} image;

/* Makes a word that the walk depends on: two small numbers, a pointer, a value's flags, or any
 * value. */
static uint64_t make_word(const uint8_t *b, size_t nr)
{
	uint32_t low = (uint32_t)(int8_t)b[1], high = (uint32_t)(int8_t)b[2];
	uint64_t both = (uint64_t)b[2] << 8 | b[1];

	switch (b[0] % 4) {
	case 0:
		return (uint64_t)high << 32 | low;
	case 1:
		return base + both % nr * 8;
	case 2:
		return (both | 0x2000000) << 32 | 1;
	default:
		return (both << 16 | b[0]) * 0x9e3779b97f4a7c15ULL;
	}
}

static bool read_image(void *context, uint64_t address, void *to, size_t len)
{
	struct image *im = context;
	uint64_t size = im->nr * sizeof(*im->words), at = address - base;

	must(im->reads++ < READS_MAX);
	if (at > size || len > size - at)
		return false;
	memcpy(to, (const char *)im->words + at, len);
	return true;
}

static void use_frame(
	const struct perl_layout *l, const struct memory *m, const struct vm_frame *frame)
{
	struct strbuf text = STRBUF_INIT;
	struct perl_texts texts;

	perl_frame_texts(l, m, frame, &texts);
	strbuf_adds(&text, "x");
	if (!perl_texts_name(&texts, perl_frame_type(frame->what), &text))
		must(text.len == 1);
	must(text.len <= 3 * (2 * PERL_TEXT_MAX + 16) && text.buf[0] == 'x' && !text.buf[text.len]);
	strbuf_reset(&text);
	if (!perl_texts_file(&texts, &text))
		must(!text.len);
	must(text.len <= 2 * PERL_TEXT_MAX + 16);
	strbuf_release(&text);
}

static void check(const struct perl_layout *l, const struct memory *m, size_t max, bool mixed)
{
	struct vm_frame frames[DEPTH];
	struct vm_stack stack = {.frames = frames, .max = max, .mixed = mixed};
	enum vm_end end = perl_walk(l, m, base, &stack);

	must(stack.nr <= max && end > VM_ON && end < VM_ENDS);
	must(end != VM_CUT || stack.nr == max);
	must(end != VM_WHOLE ||
		(stack.nr && perl_frame_type(frames[stack.nr - 1].what) == PERL_MAIN));
	for (size_t i = 0; i < stack.nr; i++) {
		enum perl_type kind = perl_frame_type(frames[i].what);

		must(kind != PERL_MAIN || (end == VM_WHOLE && i == stack.nr - 1));
		must(kind != PERL_XSUB || !i);
		must(kind != PERL_LOOP || mixed);
		must(frames[i].at || kind == PERL_LOOP);
		use_frame(l, m, &frames[i]);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct memory memory = {.read = read_image, .context = &image};
	struct perl_layout l = {0};

	if (size < 4)
		return 0;
	l.minor = PERL_FIRST + data[0] / 2 % ((PERL_LAST - PERL_FIRST) / 2 + 1) * 2;
	l.threads = data[0] & 1;
	must(perl_shape_known(l.minor, &l.shape) && perl_shape_is_sane(&l.shape));
	l.curcop = l.shape.curcop;
	l.curstackinfo = l.shape.curstackinfo;
	l.op = l.shape.op;
	l.stack_sp = l.shape.stack_sp;
	image.nr = (size - 1) / 3 < WORDS_MAX ? (size - 1) / 3 : WORDS_MAX;
	image.reads = 0;
	for (size_t i = 0; i < image.nr; i++)
		image.words[i] = make_word(data + 1 + 3 * i, image.nr);
	check(&l, &memory, DEPTH, false);
	image.reads = 0;
	check(&l, &memory, DEPTH, true);
	image.reads = 0;
	check(&l, &memory, 1, false);
	return 0;
}
