/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reports of handmade recordings: sums, order, each reason with its remedy, forms. */
#include "symbol/fetch/package.h"
#include "symbol/quality.h"
#include "symbol_test.h"

#include <sys/stat.h>
#include <sys/utsname.h>

#define ID "0123456789abcdef0123"

/* ---- a recording and the results for its files ---- */

struct fixture {
	struct recording rec;
	struct symbol_report report;
	struct symbol_options options;
	struct packages packages;
	bool servers, lines;
	struct quality q;
};

static void begin(struct fixture *f)
{
	*f = (struct fixture){.packages = {PACKAGES_OTHER, "https://example.org"}};
	recording_init(&f->rec);
	recording_add_event(&f->rec, "on-cpu", "samples", "cpu", 1);
}

static void end(struct fixture *f)
{
	quality_release(&f->q);
	recording_release(&f->rec);
	free(f->report.list);
}

static uint32_t add_map(struct fixture *f, uint32_t pid, const char *path, const char *build_id)
{
	const struct rec_map map = {
		.pid = pid,
		.start = 0x1000,
		.end = 0x2000,
		.path = recording_string(&f->rec, path),
		.build_id = recording_string(&f->rec, build_id),
	};

	return recording_add_map(&f->rec, &map);
}

static void name_it(struct fixture *f, uint32_t frame, const char *module, uint32_t line)
{
	const struct rec_name name = {
		.function = recording_string(&f->rec, "f"),
		.module = recording_string(&f->rec, module),
		.file = recording_string(&f->rec, line ? "f.c" : NULL),
		.line = line,
	};

	recording_name_frame(&f->rec, frame, &name, 1);
}

/* LINE is -1 if the frame has no name, or 0 if it has no line. */
static uint32_t add_frame(struct fixture *f, struct rec_frame frame, const char *module, int line)
{
	uint32_t number = recording_add_frame(&f->rec, &frame);

	if (line >= 0)
		name_it(f, number, module, (uint32_t)line);
	return number;
}

static uint32_t in_map(struct fixture *f, uint32_t map, uint64_t at, int line)
{
	return add_frame(
		f, (struct rec_frame){.place = AT_MAP, .map = map, .addr = at}, NULL, line);
}

static uint32_t in_kernel(struct fixture *f, const char *module, int line)
{
	const struct rec_frame frame = {
		.kind = FRAME_KERNEL, .place = AT_ADDRESS, .addr = 0xffffffff81000000};

	return add_frame(f, frame, module, line);
}

static void add_task(struct fixture *f, uint32_t pid, const char *comm)
{
	const struct rec_task task = {
		.pid = pid, .tid = pid, .comm = recording_string(&f->rec, comm)};

	recording_add_task(&f->rec, &task);
}

static void add_row(
	struct fixture *f, uint32_t task, const uint32_t *frames, size_t n, uint64_t sum)
{
	uint32_t stack = recording_add_stack(&f->rec, STACK_USER, END_ROOT, 0, frames, n);

	while (f->rec.nr_tasks <= task)
		add_task(f, 0, "a");
	recording_add_row(&f->rec, &(struct rec_row){.task = task,
					   .stacks = {stack, NO_STACK, NO_STACK, NO_STACK},
					   .count = sum,
					   .sum = sum});
}

static void add_row_of(struct fixture *f, uint32_t frame, uint64_t sum)
{
	add_row(f, 0, &frame, 1, sum);
}

/* Adds the result for MAP's file. */
static struct symbol_module *add_report(
	struct fixture *f, uint32_t map, enum symbol_source source, enum symbol_gap gap)
{
	const struct rec_map *m = &f->rec.maps[map];
	bool memory = gap == GAP_NO_MAP || source == SOURCE_PERFMAP;

	ALLOC_GROW(f->report.list, f->report.nr, f->report.alloc);
	f->report.list[f->report.nr] = (struct symbol_module){
		.path = memory ? 0 : m->path,
		.build_id = memory ? 0 : m->build_id,
		.pid = memory ? m->pid : 0,
		.source = source,
		.gap = gap,
	};
	return &f->report.list[f->report.nr++];
}

static void judge(struct fixture *f)
{
	const struct recording_view view = {.event = -1};

	quality_init(&f->q, &f->rec, &view, &f->report, f->lines);
	quality_explain(&f->q, &f->options, &f->packages, f->servers);
}

static void expect_text(const char *got, const char *want)
{
	if (!want)
		assert_null(got);
	else
		assert_string_equal(got ? got : "(none)", want);
}

static void expect_first(struct fixture *f, const char *path, const char *why, const char *remedy)
{
	judge(f);
	assert_true(f->q.nr > 0);
	assert_string_equal(f->q.list[0].path, path);
	expect_text(f->q.list[0].why, why);
	expect_text(f->q.list[0].remedy, remedy);
}

/* ---- sums ---- */

static void test_sums(void **state)
{
	struct fixture f;
	struct account account;
	const struct recording_view view = {.event = -1};

	(void)state;
	begin(&f);
	uint32_t a = add_map(&f, 10, "/a", ID), again = add_map(&f, 11, "/a", ID);
	uint32_t other = add_map(&f, 10, "/a", "ff"), b = add_map(&f, 10, "/b", "");
	uint32_t jit = add_map(&f, 10, "", ""), jits = add_map(&f, 11, "[heap]", "");
	uint32_t deep[] = {in_map(&f, a, 1, 7), in_map(&f, a, 2, -1), in_map(&f, a, 2, -1),
		in_map(&f, again, 3, 0)};
	uint32_t rest[] = {in_map(&f, other, 1, -1), in_map(&f, b, 1, -1), in_map(&f, jit, 1, -1),
		in_map(&f, jits, 1, 0), in_kernel(&f, NULL, -1), in_kernel(&f, "[kernel]", 0),
		in_kernel(&f, "[nf]", 5)};

	add_row(&f, 0, deep, ARRAY_LEN(deep), 10);
	add_row(&f, 0, rest, ARRAY_LEN(rest), 3);
	add_row(&f, 0, &deep[1], 1, 4);
	in_map(&f, add_map(&f, 10, "/unused", ""), 1, -1); /* in no row */
	judge(&f);
	recording_account(&f.rec, &view, &account);

	static const struct {
		const char *path;
		uint32_t pid;
		uint64_t weight, named, lined;
	} want[] = {
		{"/a", 0, 44, 20, 10},
		{"/a", 0, 3, 0, 0},
		{"/b", 0, 3, 0, 0},
		{"[anonymous memory]", 10, 3, 0, 0},
		{"[kernel]", 0, 6, 3, 0},
		{"[anonymous memory]", 11, 3, 3, 0},
		{"[nf]", 0, 3, 3, 3},
	};

	assert_int_equal(f.q.nr, ARRAY_LEN(want));
	for (size_t i = 0; i < f.q.nr; i++) {
		assert_string_equal(f.q.list[i].path, want[i].path);
		assert_int_equal(f.q.list[i].pid, want[i].pid);
		assert_int_equal(f.q.list[i].weight, want[i].weight);
		assert_int_equal(f.q.list[i].named, want[i].named);
		assert_int_equal(f.q.list[i].lined, want[i].lined);
	}
	assert_string_equal(f.q.list[0].build_id, ID);
	assert_int_equal(f.q.weight, account.named + account.unnamed);
	assert_int_equal(f.q.named, account.named);
	assert_int_equal(f.q.lined, 13);
	end(&f);
}

static void test_views(void **state)
{
	struct recording_view view = {.event = 1};
	struct label_filter filter = {0};
	struct fixture f;

	(void)state;
	begin(&f);
	recording_add_event(&f.rec, "off-cpu", "us", "wall", 0);
	uint32_t map = add_map(&f, 10, "/a", "");

	add_row_of(&f, in_map(&f, map, 1, -1), 100);
	f.rec.rows[0].event = 1;
	f.rec.rows[0].labels = recording_state_label(&f.rec, "S");
	add_row_of(&f, in_map(&f, map, 2, 0), 7);
	f.rec.rows[1].event = 1;
	add_row_of(&f, in_map(&f, map, 3, 0), 900);
	quality_init(&f.q, &f.rec, &view, NULL, false);
	assert_int_equal(f.q.weight, 107);
	assert_string_equal(f.q.unit, "us");
	quality_release(&f.q);
	label_filter_add(&filter, "state=S");
	view.labels = &filter;
	quality_init(&f.q, &f.rec, &view, NULL, false);
	assert_int_equal(f.q.weight, 100);
	assert_int_equal(f.q.named, 0);
	label_filter_release(&filter);
	end(&f);
}

static void test_huge(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	uint32_t frames[2] = {in_map(&f, add_map(&f, 1, "/a", ""), 1, 0)};

	frames[1] = frames[0];
	add_row(&f, 0, frames, 2, UINT64_MAX);
	judge(&f);
	assert_int_equal(f.q.weight, UINT64_MAX);
	assert_int_equal(f.q.named, UINT64_MAX);
	assert_int_equal(f.q.list[0].lacks, 0);
	end(&f);
}

static void test_empty(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	judge(&f);
	assert_int_equal(f.q.nr, 0);
	assert_int_equal(f.q.weight, 0);
	end(&f);
}

/* ---- reasons and remedies ---- */

struct gap_case {
	enum symbol_source source;
	enum symbol_gap gap;
	bool servers, requested, lines;
	const char *detail, *build_id;
	const char *why, *remedy;
};

static void check_gap(const struct gap_case *c)
{
	struct fixture f;

	begin(&f);
	uint32_t map = add_map(&f, 10, "/opt/app", c->build_id);

	add_row_of(&f, in_map(&f, map, 1, c->lines ? 0 : -1), 5);
	struct symbol_module *tried = add_report(&f, map, c->source, c->gap);

	tried->requested = c->requested;
	snprintf(tried->detail, sizeof(tried->detail), "%s", c->detail ? c->detail : "");
	f.servers = c->servers;
	f.lines = c->lines;
	expect_first(&f, "/opt/app", c->why, c->remedy);
	end(&f);
}

#define DEBUG_FILE "/usr/lib/debug/.build-id/01/23456789abcdef0123.debug"

static void test_gaps(void **state)
{
	static const struct gap_case cases[] = {
		{SOURCE_NONE, GAP_STRIPPED, .build_id = ID,
			.why = "it is stripped, and its debug file was not found",
			.remedy = "do not strip it, or put its debug file at " DEBUG_FILE
				  ", or set DEBUGINFOD_URLS to a server that has it"},
		{SOURCE_DYNSYM, GAP_STRIPPED, .servers = true, .requested = true, .build_id = ID,
			.why = "it is stripped, and its debug file was not found, and no server "
			       "has "
			       "it",
			.remedy = "do not strip it, or put its debug file at " DEBUG_FILE},
		{SOURCE_DYNSYM, GAP_STRIPPED, .servers = true, .build_id = ID,
			.why = "it is stripped, and its debug file was not found, and no server "
			       "was "
			       "asked",
			.remedy = "use --debuginfod=always: a server may have its debug file"},
		{SOURCE_NONE, GAP_STRIPPED, .build_id = "",
			.why = "it is stripped, and its debug file was not found",
			.remedy = "build it with -g and do not strip it"},
		{SOURCE_NONE, GAP_STRIPPED, .build_id = "1",
			.why = "it is stripped, and its debug file was not found",
			.remedy = "build it with -g and do not strip it"},
		{SOURCE_NONE, GAP_GONE, .build_id = ID, .why = "the file is missing",
			.remedy = "keep the file with build-id " ID
				  " and give it with --root or --debug-path, or record again"},
		{SOURCE_NONE, GAP_GONE, .build_id = "", .why = "the file is missing",
			.remedy = "record again while the file is there"},
		{SOURCE_NONE, GAP_OTHER, .build_id = ID, .detail = "77",
			.why = "another file is at that path now, with build-id 77",
			.remedy = "keep the file with build-id " ID
				  " and give it with --root or --debug-path, or record again"},
		{SOURCE_NONE, GAP_UNREADABLE, .build_id = ID, .detail = "Permission denied",
			.why = "the file cannot be read: Permission denied",
			.remedy = "run it as a user who may read that file"},
		{SOURCE_NONE, GAP_NOT_ELF, .build_id = "", .why = "it is not an ELF file"},
		{SOURCE_NONE, GAP_FAILED, .build_id = ID, .detail = "it crashed",
			.why = "reading it failed: it crashed",
			.remedy = "report it as a bug, with the file /opt/app"},
		{SOURCE_OWN, GAP_NONE, .build_id = ID, .why = "some of its code has no symbol"},
		{SOURCE_OWN, GAP_NONE, .lines = true, .build_id = ID,
			.why = "it has no debug information, and its debug file was not found",
			.remedy = "build it with -g, or put its debug file at " DEBUG_FILE
				  ", or set DEBUGINFOD_URLS to a server that has it"},
		{SOURCE_OWN, GAP_NONE, .lines = true, .servers = true, .requested = true,
			.build_id = "",
			.why = "it has no debug information, and its debug file was not found, and "
			       "no server has it",
			.remedy = "build it with -g"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		check_gap(&cases[i]);
}

/* Only requested parts are missing. */
static void test_lines_wanted(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	uint32_t map = add_map(&f, 10, "/opt/app", ID);

	add_row_of(&f, in_map(&f, map, 1, 0), 5);
	add_report(&f, map, SOURCE_OWN, GAP_NONE);
	expect_first(&f, "/opt/app", NULL, NULL);
	quality_release(&f.q);
	f.report.list[0].has_debuginfo = true;
	f.lines = true;
	expect_first(&f, "/opt/app", "some of its code has no lines", NULL);
	end(&f);
}

static void test_folders(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	uint32_t map = add_map(&f, 10, "/opt/app", ID);

	add_row_of(&f, in_map(&f, map, 1, -1), 5);
	add_report(&f, map, SOURCE_NONE, GAP_STRIPPED);
	f.servers = f.report.list[0].requested = true;
	f.options.debug_path = "/srv/debug:/other";
	f.options.root = "/image";
	expect_first(&f, "/opt/app",
		"it is stripped, and its debug file was not found, and no server has it",
		"do not strip it, or put its debug file at "
		"/image/srv/debug/.build-id/01/23456789abcdef0123.debug");
	end(&f);
}

static void test_kernel(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	f.rec.kernel_release = recording_string(&f.rec, "6.9-none");
	add_row_of(&f, in_kernel(&f, NULL, -1), 5);
	expect_first(&f, "[kernel]", "its addresses were hidden from the recorder",
		"record as root, with kernel.kptr_restrict at most 1");
	end(&f);
	begin(&f);
	f.rec.kernel_release = recording_string(&f.rec, "6.9-none");
	add_row_of(&f, in_kernel(&f, "[nf]", 0), 5);
	recording_add_module(&f.rec, &(struct rec_module){.name = recording_string(&f.rec, "nf"),
					     .build_id = recording_string(&f.rec, ID)});
	f.lines = true;
	expect_first(&f, "[nf]", "its debug file was not found",
		"put nf.ko of kernel 6.9-none, with its debug information, into "
		"/usr/lib/debug/lib/modules/6.9-none");
	assert_string_equal(f.q.list[0].build_id, ID);
	end(&f);
}

static void test_no_mapping(void **state)
{
	const struct rec_frame frame = {.place = AT_ADDRESS, .addr = 0x1000};
	struct fixture f;

	(void)state;
	begin(&f);
	add_row_of(&f, recording_add_frame(&f.rec, &frame), 5);
	expect_first(&f, "[unknown]", "addresses in no known mapping", NULL);
	end(&f);
}

/* Subs have their names and lines from the recorder; notes are not frames. */
static void test_perl(void **state)
{
	const struct rec_frame sub = {.kind = FRAME_PERL, .place = AT_NAME};
	const struct rec_frame note = {.kind = FRAME_NOTE, .place = AT_NAME};
	struct fixture f;

	(void)state;
	begin(&f);
	f.lines = true;
	add_row_of(&f, add_frame(&f, sub, NULL, 12), 5);
	add_row_of(&f, add_frame(&f, sub, NULL, 0), 3);
	add_row_of(&f, add_frame(&f, note, NULL, 0), 9);
	expect_first(&f, "[perl]", NULL, NULL);
	assert_int_equal(f.q.nr, 1);
	assert_int_equal(f.q.weight, 8);
	assert_int_equal(f.q.lined, 5);
	assert_int_equal(f.q.list[0].lacks, 0);
	quality_release(&f.q);
	add_row_of(&f, add_frame(&f, sub, NULL, -1), 2);
	expect_first(&f, "[perl]", "the functions were freed before their names were read", NULL);
	assert_int_equal(f.q.list[0].lacks, 2);
	end(&f);
}

static void check_jit(const char *comm, const char *file, const char *remedy)
{
	struct fixture f;

	begin(&f);
	add_task(&f, 9, "node"); /* another process */
	add_task(&f, 10, comm);
	add_map(&f, 9, "/usr/lib/libjvm.so", "");
	add_map(&f, 10, file, "");
	uint32_t map = add_map(&f, 10, "", "");

	add_row_of(&f, in_map(&f, map, 1, -1), 5);
	add_report(&f, map, SOURCE_NONE, GAP_NO_MAP);
	expect_first(&f, "[anonymous memory]", "JIT-compiled, and there is no perf map", remedy);
	quality_release(&f.q);
	f.report.nr = 0; /* no lookup was made */
	expect_first(&f, "[anonymous memory]", "JIT-compiled, and there is no perf map", remedy);
	end(&f);
}

static void test_jit(void **state)
{
	(void)state;
	check_jit("MainThread", "/usr/bin/node",
		"start node with --perf-basic-prof --interpreted-frames-native-stack; or with "
		"--cpu-prof, whose .cpuprofile bt-flame reads, with inlined functions");
	check_jit("worker", "/usr/lib/jvm/libjvm.so",
		"record before it ends and without --no-jvm, or start java with "
		"-XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit (Java 17)");
	check_jit("dotnet", "/x", "start it with DOTNET_PerfMapEnabled=1 in its environment");
	check_jit("ruby3.3", "/x", "start ruby with --yjit-perf (Ruby 3.3)");
	check_jit("python3.12", "/x", "start python with -X perf (Python 3.12)");
	check_jit("php-fpm", "/x", "set opcache.jit_debug=0x10 in php.ini");
	check_jit("1_scheduler", "/usr/lib/erlang/bin/beam.smp", "start erl with +JPperf true");
	check_jit("luajit", "/x", "build LuaJIT with -DLUAJIT_USE_PERFTOOLS");
	check_jit("app", "/x", "make its JIT compiler write /tmp/perf-10.map");
}

/* A compiler's perf map that does not have all functions. */
static void test_part_of_a_perf_map(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	add_task(&f, 10, "node");
	uint32_t map = add_map(&f, 10, "/memfd:code (deleted)", "");

	add_row_of(&f, in_map(&f, map, 1, -1), 5);
	add_row_of(&f, in_map(&f, map, 2, 0), 50);
	add_report(&f, map, SOURCE_PERFMAP, GAP_NONE);
	expect_first(&f, "[anonymous memory]", "some of its code is not in its perf map", NULL);
	quality_release(&f.q);
	f.report.list[0].source = SOURCE_NONE; /* later, when the map has been removed */
	f.report.list[0].gap = GAP_NO_MAP;
	expect_first(&f, "[anonymous memory]", "some of its code is not in its perf map", NULL);
	end(&f);
}

static void test_vdso(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	uint32_t map = add_map(&f, 10, "[vdso]", ID);

	add_row_of(&f, in_map(&f, map, 1, -1), 5);
	add_report(&f, map, SOURCE_NONE, GAP_OTHER);
	expect_first(&f, "[vdso]", "another file is at that path now, without build-id",
		"record again: the running kernel has another vdso");
	end(&f);
}

/* ---- packages ---- */

/* Makes dpkg's lists: OWNER is the package of /usr/bin/perl, and OF_XZ, unless it is NULL, of xz.
 */
static void put_lists(const char *owner, const char *of_xz)
{
	char *folder = in_dir("info"), *command = xasprintf("rm -rf '%s'", folder);
	char *perl_list = xasprintf("%s/%s.list", folder, owner);
	char *xz_list = xasprintf("%s/%s.list", folder, of_xz ? of_xz : "none");

	assert_int_equal(system(command), 0);
	assert_int_equal(mkdir(folder, 0700), 0);
	write_file(perl_list, "/usr/bin/perl\n", 14);
	if (of_xz)
		write_file(xz_list, "/usr/bin/xz\n", 12);
	setenv("DPKG_ADMINDIR", dir, 1);
	free(xz_list);
	free(perl_list);
	free(command);
	free(folder);
}

/* Begins a recording from HOST with three stripped files: of a package, of another package, of
 * none. */
static void begin_packages(struct fixture *f, const char *host)
{
	static const char *const paths[] = {"/usr/bin/perl", "/usr/bin/xz", "/opt/app"};

	begin(f);
	f->packages = (struct packages){PACKAGES_DEBIAN, "https://example.org"};
	recording_add_meta(&f->rec, "host", host);
	for (size_t i = 0; i < ARRAY_LEN(paths); i++) {
		uint32_t map = add_map(f, 10, paths[i], i < 2 ? ID : "");

		add_row_of(f, in_map(f, map, 1, -1), 30 - i);
		add_report(f, map, SOURCE_NONE, GAP_STRIPPED);
	}
}

/* A recording that lacks names is said with what helps most. */
static void test_worst(void **state)
{
	const struct recording_view view = {.event = -1};
	struct utsname here;
	struct fixture f;

	(void)state;
	assert_int_equal(uname(&here), 0);
	put_lists("perl-base", NULL);
	begin_packages(&f, here.nodename);
	quality_init(&f.q, &f.rec, &view, &f.report, false);
	const struct quality_module *worst =
		quality_explain_worst(&f.q, &f.options, &f.packages, false);

	assert_non_null(worst);
	expect_text(worst->path, "/usr/bin/perl");
	expect_text(worst->remedy, "apt install perl-debug");
	assert_null(f.q.list[1].remedy);
	end(&f);
}

static void test_packages(void **state)
{
	struct utsname here;
	struct fixture f;

	(void)state;
	assert_int_equal(uname(&here), 0);
	put_lists("perl-base", "xz-utils");
	begin_packages(&f, here.nodename);
	judge(&f);
	expect_text(f.q.list[0].remedy, "apt install perl-debug");
	expect_text(f.q.list[1].remedy, "apt install xz-utils-dbgsym");
	expect_text(f.q.list[2].remedy, "build it with -g and do not strip it");
	assert_string_equal(f.q.notes.buf,
		"packages named *-dbgsym are in a separate archive, see bt-resolve(1)\n"
		"a debuginfod server has the distribution's debug files: set "
		"DEBUGINFOD_URLS=https://example.org\n");
	end(&f);
	begin_packages(&f, here.nodename);
	f.servers = true;
	f.options.root = "/image"; /* the packages of the image are not this machine's */
	judge(&f);
	expect_text(
		f.q.list[0].remedy, "use --debuginfod=always: a server may have its debug file");
	assert_string_equal(f.q.notes.buf, "");
	end(&f);
}

/* On another machine, only a file that was found here by its build-id belongs to one of our
 * packages. */
static void test_another_machine(void **state)
{
	struct fixture f;

	(void)state;
	put_lists("xz-utils", NULL);
	begin_packages(&f, "no host of this name");
	judge(&f);
	expect_text(f.q.list[0].remedy, "apt install xz-utils-dbgsym");
	expect_text(f.q.list[2].remedy, "resolve it on the machine it was recorded on, or give "
					"that machine's files with --root");
	quality_release(&f.q);
	f.report.list[0].gap = GAP_OTHER;
	expect_first(&f, "/usr/bin/perl", "another file is at that path now, without build-id",
		"resolve it on the machine it was recorded on, or give that machine's files with "
		"--root");
	end(&f);
}

/* No known package manager, but a server with the distribution's files. */
static void test_server(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	uint32_t map = add_map(&f, 10, "/usr/bin/app", ID);

	add_row_of(&f, in_map(&f, map, 1, -1), 5);
	add_report(&f, map, SOURCE_NONE, GAP_STRIPPED);
	expect_first(&f, "/usr/bin/app", "it is stripped, and its debug file was not found",
		"set DEBUGINFOD_URLS=https://example.org");
	end(&f);
}

/* ---- forms ---- */

static void begin_hostile(struct fixture *f)
{
	begin(f);
	recording_add_meta(&f->rec, "title", "a \"title\"");
	uint32_t map = add_map(f, 10, "/opt/\x1b[2J,\"app\"", ID),
		 good = add_map(f, 10, "/good", "");

	add_row_of(f, in_map(f, map, 1, -1), 2);
	add_row_of(f, in_map(f, good, 1, 3), 1);
	struct symbol_module *tried = add_report(f, map, SOURCE_DYNSYM, GAP_UNREADABLE);

	strcpy(tried->detail, "a\nb");
	judge(f);
}

typedef int writer(const struct quality *q, FILE *out, struct strbuf *err);

static int write_narrow(const struct quality *q, FILE *out, struct strbuf *err)
{
	return quality_text(q, 40, out, err);
}

static int write_wide(const struct quality *q, FILE *out, struct strbuf *err)
{
	return quality_text(q, 100, out, err);
}

static char *written_by(writer *write, const struct quality *q)
{
	struct strbuf err = STRBUF_INIT;
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	assert_non_null(out);
	assert_int_equal(write(q, out, &err), 0);
	assert_int_equal(fclose(out), 0);
	return text;
}

static void test_csv(void **state)
{
	struct fixture f;

	(void)state;
	begin_hostile(&f);
	char *text = written_by(quality_csv, &f.q);

	assert_string_equal(text,
		"module,build_id,weight,weight_pct,named,named_pct,lined,lined_pct,source,reason,"
		"remedy\n"
		"\"/opt/\x1b[2J,\"\"app\"\"\"," ID ",2,66.67,0,0.00,0,0.00,exports,\"the file "
		"cannot be read: a\nb\",run it as a user "
		"who may read that file\n"
		"/good,,1,33.33,1,100.00,1,100.00,recording,,\n");
	free(text);
	end(&f);
}

static void test_json(void **state)
{
	struct fixture f;

	(void)state;
	begin_hostile(&f);
	char *text = written_by(quality_json, &f.q);

	assert_string_equal(text,
		"{\n \"title\": \"a \\\"title\\\"\",\n \"total\": 3,\n \"unit\": \"samples\",\n"
		" \"account\": {\"known\": true, \"kept\": 3, \"whole\": 3, \"cut\": 0, "
		"\"broken\": "
		"0, \"named\": 1, \"unnamed\": 2, \"lost\": {\"skipped\": 0, \"table-full\": 0, "
		"\"no-body\": 0, \"transport\": 0, \"spool\": 0, \"unreadable\": 0}},\n"
		" \"modules\": [\n"
		"  {\"module\": \"/opt/\\u001b[2J,\\\"app\\\"\", \"build_id\": \"" ID
		"\", \"weight\": 2, \"weight_pct\": 66.67, \"named\": 0, \"named_pct\": 0.00, "
		"\"lined\": 0, \"lined_pct\": 0.00, \"source\": \"exports\", \"reason\": \"the "
		"file "
		"cannot be read: a\\u000ab\", \"remedy\": \"run it as a user who may read that "
		"file\"},\n"
		"  {\"module\": \"/good\", \"build_id\": \"\", \"weight\": 1, \"weight_pct\": "
		"33.33, \"named\": 1, \"named_pct\": 100.00, \"lined\": 1, \"lined_pct\": 100.00, "
		"\"source\": \"recording\", \"reason\": null, \"remedy\": null}\n"
		" ]\n}\n");
	free(text);
	end(&f);
}

static void test_text(void **state)
{
	struct fixture f;

	(void)state;
	begin_hostile(&f);
	char *wide = written_by(write_wide, &f.q), *narrow = written_by(write_narrow, &f.q);

	assert_string_equal(wide,
		"weight        %  named %  lines %  file\n"
		"     2    66.67     0.00     0.00  /opt/\\x1b[2J,\"app\"\n"
		"        the file cannot be read: a\\x0ab; run it as a user who may read that "
		"file\n"
		"     1    33.33   100.00   100.00  1 complete file\n"
		"33.33 % of all frames have names, 33.33 % lines (3 samples over all frames)\n");
	assert_non_null(strstr(narrow, "  ...J,\"app\"\n"));
	assert_non_null(strstr(narrow, "\n        the file cannot be read: a\\x0ab;\n"));
	free(wide);
	free(narrow);
	end(&f);
}

static void test_full_disk(void **state)
{
	struct strbuf err = STRBUF_INIT;
	FILE *out = fopen("/dev/full", "w");
	struct fixture f;

	(void)state;
	if (!out)
		skip();
	begin_hostile(&f);
	assert_int_equal(quality_csv(&f.q, out, &err) | fflush(out), -1);
	fclose(out);
	strbuf_release(&err);
	end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sums),
		cmocka_unit_test(test_views),
		cmocka_unit_test(test_huge),
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_gaps),
		cmocka_unit_test(test_lines_wanted),
		cmocka_unit_test(test_folders),
		cmocka_unit_test(test_kernel),
		cmocka_unit_test(test_no_mapping),
		cmocka_unit_test(test_perl),
		cmocka_unit_test(test_jit),
		cmocka_unit_test(test_part_of_a_perf_map),
		cmocka_unit_test(test_vdso),
		cmocka_unit_test(test_packages),
		cmocka_unit_test(test_worst),
		cmocka_unit_test(test_another_machine),
		cmocka_unit_test(test_server),
		cmocka_unit_test(test_csv),
		cmocka_unit_test(test_json),
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_full_disk),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
