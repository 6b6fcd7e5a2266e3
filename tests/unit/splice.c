/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Merged stacks; each frame is a letter, outermost first. Frames of C: l a run loop, r perl_run, c
 * call_sv, v eval_sv, p another function of perl's file, x a function of any other file. Frames of
 * Perl: M main, S sub, T sub called by C, A sub that C runs again and again, E eval, F eval by C, Y
 * try, B block of a sort, X C function. In the merged stack frames of Perl have the same letters;
 * "!" means inconsistent.
 */
#include "lib/strbuf.h"
#include "lib/util.h"
#include "symbol/elf/elfdata.h"
#include "symbol/elf/elffile.h"
#include "runtime/perl/perl_frame.h"
#include "runtime/perl/perl_splice.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { MAX = 4096 };

static unsigned role_of(char c)
{
	switch (c) {
	case 'l':
		return SPLICE_LOOP;
	case 'r':
		return PERL_ROLE_RUN;
	case 'c':
		return PERL_ROLE_CALL;
	case 'v':
		return PERL_ROLE_EVAL;
	case 'p':
		return SPLICE_INSIDE;
	default:
		return SPLICE_ELSEWHERE;
	}
}

static uint64_t what_of(char c)
{
	switch (c) {
	case 'M':
		return VM_WHAT(PERL_MAIN) | PERL_FROM_C;
	case 'S':
		return VM_WHAT(PERL_SUB) | 0x7f0000001000;
	case 'T':
		return VM_WHAT(PERL_SUB) | PERL_FROM_C | PERL_BY_KEY;
	case 'A':
		return VM_WHAT(PERL_SUB) | PERL_FROM_C | PERL_AGAIN;
	case 'E':
		return VM_WHAT(PERL_EVAL);
	case 'F':
		return VM_WHAT(PERL_EVAL) | PERL_FROM_C;
	case 'Y':
		return VM_WHAT(PERL_LOOP);
	case 'B':
		return VM_WHAT(PERL_LOOP) | PERL_FROM_C;
	default:
		return VM_WHAT(PERL_XSUB) | PERL_FROM_C;
	}
}

/* Returns the merged stack of C and PERL, outermost first; the caller frees it. An id is a frame's
 * letter. */
static char *spliced(const char *c, const char *perl, bool whole, enum vm_end end)
{
	static struct splice_native in_c[MAX];
	static struct splice_frame in_perl[MAX];
	static uint32_t ids[2 * MAX + 1];
	struct splice s = {
		.rules = &perl_splice,
		.native = in_c,
		.nr_native = strlen(c),
		.whole = whole,
		.frames = in_perl,
		.nr_frames = strlen(perl),
		.end = end,
		.inconsistent = '!',
	};
	bool consistent;

	for (size_t i = 0; i < s.nr_native; i++)
		in_c[s.nr_native - 1 - i] = (struct splice_native){(uint32_t)c[i], role_of(c[i])};
	for (size_t i = 0; i < s.nr_frames; i++)
		in_perl[s.nr_frames - 1 - i] =
			(struct splice_frame){what_of(perl[i]), (uint32_t)perl[i]};
	size_t nr = splice_stacks(&s, ids, &consistent);
	char *text = xcalloc(nr + 1, 1);

	for (size_t i = 0; i < nr; i++)
		text[i] = (char)ids[nr - 1 - i];
	assert_int_equal(consistent, !strchr(text, '!'));
	return text;
}

static void expect(const char *c, const char *perl, bool whole, enum vm_end end, const char *want)
{
	char *got = spliced(c, perl, whole, end);

	if (strcmp(got, want))
		fail_msg("%s + %s: '%s', not '%s'", c, perl, got, want);
	free(got);
}

struct example {
	const char *c, *perl, *want;
};

static void expect_all(const struct example *examples, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		expect(examples[i].c, examples[i].perl, true, VM_WHOLE, examples[i].want);
}

/* Stacks of perl 5.36, as a debugger and the walk saw them. */
static void test_seen(void **state)
{
	static const struct example seen[] = {
		{"xrlp", "MS", "xrlMSp"}, {"xrlppcl", "MSFT", "xrlMSppclFT"}, /* DESTROY */
		{"xrlppcl", "MSTS", "xrlMSppclTS"},                           /* tie, overload */
		{"xrlppcllp", "MSTE", "xrlMSppclTlEp"},                       /* tie, in its eval */
		{"xrlppcllp", "MSTS", "xrlMSppclTlSp"}, /* tie, its eval is over */
		{"xrlpplp", "MSBS", "xrlMSpplSp"},      /* a sort's block */
		{"xrlpplp", "MSAS", "xrlMSpplASp"},     /* a sort's sub */
		{"xrlpxlp", "MSAS", "xrlMSpxlASp"},     /* List::Util's first */
		{"xrlppppl", "MSBT", "xrlMSpppplT"},    /* a regex's code, its last operator */
		{"xrlppppl", "MSAT", "xrlMSpppplAT"},
		{"xrlppppl", "MSATS", "xrlMSpppplATS"},            /* likewise, made at run time */
		{"xrlpplppcl", "MSAT", "xrlMSpplAppclT"},          /* tie in it */
		{"xrlp", "MSES", "xrlMSESp"},                      /* eval of a string */
		{"xrlpppcl", "MSEFT", "xrlMSEpppclFT"},            /* BEGIN in it */
		{"xpppcl", "MFT", "xpppclMFT"},                    /* BEGIN of the program */
		{"xppcl", "MFTS", "xppclMFTS"},                    /* END */
		{"xxcl", "MFTS", "xxclMFTS"},                      /* a thread */
		{"xrlpplppppcl", "MSBEFTS", "xrlMSpplEppppclFTS"}, /* sort, eval, BEGIN */
	};

	(void)state;
	expect_all(seen, ARRAY_LEN(seen));
}

static void test_without_partner(void **state)
{
	static const struct example examples[] = {
		{"xp", "M", "xp"},                  /* compiles */
		{"xrlpp", "MSB", "xrlMSpp"},        /* a sort between two comparisons */
		{"xrlpp", "MSA", "xrlMSpp"},        /* with a sub */
		{"xrlpcl", "M", "xrlMpcl"},         /* a sub is called, or over */
		{"xrlpclplp", "MT", "xrlMpclTplp"}, /* an eval is over */
		{"xrlpclpl", "MTY", "xrlMpclTpl"},  /* try */
		{"xrlpclplp", "MTYS", "xrlMpclTplSp"},
		{"xrlpxlp", "MS", "xrlMSpxlp"}, /* IO::Handle::getline */
		{"xrlpxlppcl", "MST", "xrlMSpxlppclT"},
		{"xrlpxlppcl", "MSA", "xrlMSpxlAppcl"}, /* first, and a sub that is over */
		{"xrlpclpx", "MSX", "xrlMSpclXpx"},     /* DESTROY in C */
		{"xrlpclpx", "MSFX", "xrlMSpclFXpx"},
		{"xrlpcpx", "MSFX", "xrlMSFXpcpx"}, /* the same before 5.38 */
		{"xrlpx", "MSX", "xrlMSXpx"}, {"xrlpclpclpxcl", "MTFT", "xrlMpclTpclFTpxcl"},
		{"xrlxvlp", "MSFS", "xrlMSxvlFSp"}, /* eval_sv */
		{"xrlxvlpcl", "MSFTS", "xrlMSxvlFpclTS"},
		{"xlp", "MS", "xlMSp"},     /* a loop of an embedding program */
		{"xrplp", "MS", "xrplMSp"}, /* S_run_body is a function */
	};

	(void)state;
	expect_all(examples, ARRAY_LEN(examples));
}

static void test_inconsistent(void **state)
{
	static const struct example examples[] = {
		{"xp", "MS", "!xp"},
		{"xcl", "MS", "xcl!"},
		{"xrlp", "MTS", "xrl!p"},
		{"xrlpcl", "MSTSTS", "xrl!pcl"},
		{"xrlplplprl", "MS", "xrl!plplprl"},
		{"", "MS", "!"},
	};

	(void)state;
	expect_all(examples, ARRAY_LEN(examples));
	expect("xrlpcl", "", true, VM_INCONSISTENT, "xrl!pcl");
	expect("xrlpcl", "TS", true, VM_INCONSISTENT, "xrl!pcl");
	expect("plp", "MS", false, VM_INCONSISTENT, "pl!p");
	expect("xrlp", "", true, VM_NOT_RUNNING, "xrlp");
}

static void test_cut(void **state)
{
	(void)state;
	/* the stack of C is cut: Perl's frames, and the C frames that work for the innermost one */
	expect("ppclpp", "MSTS", false, VM_WHOLE, "MSTSpp");
	expect("pp", "MSBT", false, VM_WHOLE, "MSTpp");
	expect("ppclpp", "STS", false, VM_CUT, "STSpp");
	/* Perl's stack is cut: the frames before the first one that is known to begin a loop */
	expect("xrlp", "SS", true, VM_CUT, "xrlSSp");
	expect("xrlpclpcl", "SSFTS", true, VM_CUT, "xrlpclSSpclFTS");
	expect("xrlpclpcl", "FTS", true, VM_CUT, "xrlpclpclFTS");
}

/* ---- made-up stacks, with the expected result of merging ---- */

struct model {
	struct strbuf c, perl, want;
	bool caught;
};

static unsigned next_random(void)
{
	static uint32_t seed = 1;

	return (seed = seed * 1664525 + 1013904223) >> 16;
}

static void add(struct model *m, const char *c, const char *perl)
{
	strbuf_adds(&m->c, c);
	strbuf_adds(&m->perl, perl);
	strbuf_adds(&m->want, c);
	for (; *perl; perl++)
		if (*perl != 'Y' && *perl != 'B')
			strbuf_addch(&m->want, *perl);
}

static void add_eval(struct model *m)
{
	const char *what = next_random() % 2 ? "E" : "Y";

	add(m, m->caught ? "" : "pl", what);
	m->caught = true;
}

/* Adds a call back; each sub has one more frame, so that every one of them has a loop. */
static void add_call(struct model *m)
{
	static const struct {
		const char *c, *perl;
		bool caught;
	} calls[] = {
		{"ppcl", "TS", false},
		{"cl", "FTS", true},
		{"xcl", "FTS", true},
		{"ppl", "BS", false},
		{"ppl", "AS", false},
		{"pxl", "AS", false},
		{"xvl", "FS", true},
	};
	unsigned i = next_random() % ARRAY_LEN(calls);

	add(m, calls[i].c, calls[i].perl);
	m->caught = calls[i].caught;
}

/* Adds BEGIN in an eval that may have no loop of its own yet. */
static void add_compiling(struct model *m)
{
	strbuf_adds(&m->c, "pppcl");
	strbuf_adds(&m->perl, "EFTS");
	strbuf_adds(&m->want, "EpppclFTS");
	m->caught = true;
}

static void add_leaf(struct model *m)
{
	switch (next_random() % 6) {
	case 0:
		add(m, "", "X");
		strbuf_adds(&m->c, "px");
		strbuf_adds(&m->want, "px");
		break;
	case 1:
		add(m, "pcl", "X");
		break;
	case 2:
		add(m, "pcl", "FX");
		break;
	case 3:
		add(m, "pp", "B"); /* between two comparisons */
		break;
	case 4:
		add(m, "px", "");
		strbuf_adds(&m->perl, "A"); /* between two calls */
		break;
	default:
		add(m, "pcl", "");
		break;
	}
}

static void make(struct model *m)
{
	static const struct {
		const char *c, *perl;
	} roots[] = {{"xrl", "MS"}, {"xpppcl", "MFTS"}, {"xrlxcl", "MTS"}, {"xcl", "MTS"}};
	unsigned root = next_random() % ARRAY_LEN(roots), steps = next_random() % 12;

	*m = (struct model){STRBUF_INIT, STRBUF_INIT, STRBUF_INIT, root < 2};
	add(m, roots[root].c, roots[root].perl);
	if (root == 2) { /* M begins the first loop */
		strbuf_reset(&m->want);
		strbuf_adds(&m->want, "xrlMxclTS");
	}
	while (steps--) {
		unsigned kind = next_random() % 8;

		if (kind < 3)
			add(m, "", "S");
		else if (kind < 5)
			add_call(m);
		else if (kind < 7)
			add_eval(m);
		else
			add_compiling(m);
	}
	add(m, "", "S");
	if (next_random() % 2)
		add_leaf(m);
}

static void test_models(void **state)
{
	(void)state;
	for (int i = 0; i < 20000; i++) {
		struct model m;

		make(&m);
		expect(m.c.buf, m.perl.buf, true, VM_WHOLE, m.want.buf);
		strbuf_release(&m.c);
		strbuf_release(&m.perl);
		strbuf_release(&m.want);
	}
}

static void test_deep(void **state)
{
	struct strbuf c = STRBUF_INIT, perl = STRBUF_INIT, want = STRBUF_INIT;

	(void)state;
	strbuf_adds(&c, "xrl");
	strbuf_adds(&perl, "MS");
	strbuf_adds(&want, "xrlMS");
	for (int i = 0; i < 500; i++) {
		strbuf_adds(&c, "ppcl");
		strbuf_adds(&perl, "TS");
		strbuf_adds(&want, "ppclTS");
	}
	expect(c.buf, perl.buf, true, VM_WHOLE, want.buf);
	strbuf_release(&c);
	strbuf_release(&perl);
	strbuf_release(&want);
}

static void test_no_perl(void **state)
{
	struct elffile *elf = elffile_open("/proc/self/exe", NULL);
	struct splice_code code;

	(void)state;
	assert_non_null(elf);
	perl_splice.find_code(&code, elf);
	assert_int_equal(code.nr, 0);
	assert_int_equal(splice_code_role(&code, 1), SPLICE_ELSEWHERE);
	elffile_close(elf);
}

static void test_roles(void **state)
{
	struct elffile *elf = elffile_open("/usr/bin/perl", NULL);
	struct elf_variable at;
	struct splice_code code;

	(void)state;
	if (!elf || !elfdata_variable(elf, "Perl_runops_standard", &at)) {
		elffile_close(elf);
		skip();
	}
	perl_splice.find_code(&code, elf);
	assert_int_equal(splice_code_role(&code, at.address), SPLICE_LOOP);
	assert_int_equal(splice_code_role(&code, at.address + at.size - 1), SPLICE_LOOP);
	assert_int_not_equal(splice_code_role(&code, at.address - 1), SPLICE_LOOP);
	assert_int_not_equal(splice_code_role(&code, at.address + at.size), SPLICE_LOOP);
	assert_true(elfdata_variable(elf, "Perl_amagic_call", &at));
	assert_int_equal(splice_code_role(&code, at.address + 1), PERL_ROLE_CALL);
	assert_true(elfdata_variable(elf, "perl_run", &at));
	assert_int_equal(splice_code_role(&code, at.address + 1), PERL_ROLE_RUN);
	assert_int_equal(splice_code_role(&code, 1), SPLICE_INSIDE);
	elffile_close(elf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_seen),
		cmocka_unit_test(test_without_partner),
		cmocka_unit_test(test_inconsistent),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_models),
		cmocka_unit_test(test_deep),
		cmocka_unit_test(test_no_perl),
		cmocka_unit_test(test_roles),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
