/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Merges any frames of C and of Perl. The first byte tells how both stacks end. Each other byte is
 * a frame, leaf first, which is Perl's if its highest bit is set. */
#include "fuzz.h"
#include "runtime/perl/perl_frame.h"
#include "runtime/perl/perl_splice.h"

enum { MAX = 8192, PERL_IDS = 1 << 16, INCONSISTENT = 1 << 20 };

static struct splice_native in_c[MAX];
static struct splice_frame in_perl[MAX];
static uint32_t ids[2 * MAX + 1];

static void read_stacks(struct splice *s, const uint8_t *data, size_t size)
{
	*s = (struct splice){
		.rules = &perl_splice,
		.native = in_c,
		.whole = data[0] & 1,
		.frames = in_perl,
		.end = VM_WHOLE + (data[0] >> 1) % (VM_ENDS - VM_WHOLE),
		.inconsistent = INCONSISTENT,
	};
	for (size_t i = 1; i < size && i < MAX; i++) {
		uint64_t b = data[i];

		if (b & 0x80) {
			in_perl[s->nr_frames] =
				(struct splice_frame){(b & 7) << 56 | (b >> 3 & 1) << 63 |
							      (b >> 4 & 1) << 60 | (b & 7) * 4711,
					PERL_IDS + (uint32_t)s->nr_frames};
			s->nr_frames++;
		} else {
			in_c[s->nr_native] = (struct splice_native){(uint32_t)s->nr_native, b % 6};
			s->nr_native++;
		}
	}
}

/* All frames of C must be there in their order, and each of Perl's in their order, at most once, at
 * an interpreter's loop. */
static void check_consistent(const struct splice *s, size_t nr)
{
	size_t c = 0, perl = 0;

	for (size_t i = 0; i < nr; i++) {
		if (ids[i] < PERL_IDS) {
			must(ids[i] == c++);
			continue;
		}
		must(ids[i] != INCONSISTENT && ids[i] >= PERL_IDS + perl);
		perl = ids[i] - PERL_IDS + 1;
		must(perl <= s->nr_frames);
		must((in_perl[perl - 1].what >> 56 & 7) != PERL_LOOP);
	}
	must(c == s->nr_native || !s->whole);
	must(c == s->nr_native || in_c[c].role == SPLICE_LOOP);
	for (size_t i = 1; i < nr && s->whole; i++)
		must(ids[i - 1] < PERL_IDS || ids[i] >= PERL_IDS ||
			in_c[ids[i]].role == SPLICE_LOOP);
}

static void check_inconsistent(const struct splice *s, size_t nr)
{
	size_t c = 0;

	must(nr == s->nr_native + 1);
	for (size_t i = 0; i < nr; i++)
		must(ids[i] == INCONSISTENT || ids[i] == c++);
	must(c == s->nr_native);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct splice s;
	bool consistent;
	size_t nr;

	if (!size)
		return 0;
	read_stacks(&s, data, size);
	nr = splice_stacks(&s, ids, &consistent);
	must(nr <= s.nr_native + s.nr_frames + 1);
	must(consistent || s.end != VM_NOT_RUNNING);
	must(!consistent || s.end != VM_INCONSISTENT);
	if (consistent)
		check_consistent(&s, nr);
	else
		check_inconsistent(&s, nr);
	return 0;
}
