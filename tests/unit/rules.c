/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rules_test.h"
#include "view/function_match.h"
#include "view/report/calls.h"

/* Expects the category WANT for the only frame of a profile. */
static void expect(const struct rules *rules, enum frame_kind kind, const char *name,
	const char *module, const char *want)
{
	struct profile p;
	struct categories c;

	profile_init(&p);
	uint32_t id = frame(&p, kind, name, module);

	profile_add(&p, &id, 1, 1);
	profile_finish(&p);
	categories_init(&c, &p, rules);
	assert_string_equal(category_name(&c, c.frames[id].own), want);
	categories_release(&c);
	profile_release(&p);
}

static void test_built_in(void **state)
{
	static const struct {
		enum frame_kind kind;
		const char *name, *module, *want;
	} cases[] = {
		{FRAME_KERNEL, "skb_free_head", NULL, "kernel.network"},
		{FRAME_KERNEL, "kfree_skbmem", NULL, "kernel.network"},
		{FRAME_KERNEL, "kfree", NULL, "kernel.mm"},
		{FRAME_KERNEL, "clip_x", NULL, "kernel"},
		{FRAME_KERNEL, "nft_do_chain", "[nf_tables]", "kernel.nftables"},
		{FRAME_KERNEL, "static_thing", "[nf_tables]", "kernel.nftables"},
		{FRAME_KERNEL, "memcpy", "[kernel]", "kernel.copy"},
		{FRAME_KERNEL, "do_readlinkat.part.0", NULL, "kernel.fs"},
		{FRAME_KERNEL, "finish_task_switch.isra.0", NULL, "kernel.scheduler"},
		{FRAME_KERNEL, "exit_to_user_mode_loop", NULL, "kernel.syscall"},
		{FRAME_KERNEL, "exc_page_fault", NULL, "kernel.mm"},
		{FRAME_KERNEL, "exc_nmi", NULL, "kernel.irq"},
		{FRAME_KERNEL, "[unknown]", NULL, "kernel"},
		{FRAME_USER, "do_syscall_64", "[kernel]", "kernel.syscall"},
		{FRAME_USER, "skb_free_head", NULL, "user"},
		{FRAME_USER, "tcp_sendmsg", "/usr/bin/app", "app"},
		{FRAME_USER, "clip_x", NULL, "user"},
		{FRAME_USER, "malloc", NULL, "allocator"},
		{FRAME_USER, "_int_free_merge_chunk", "/lib/libc.so.6", "allocator"},
		{FRAME_USER, "malloc_consolidate", NULL, "allocator"},
		{FRAME_USER, "operator new", NULL, "allocator"},
		{FRAME_USER, "operator delete[](void*)", NULL, "allocator"},
		{FRAME_USER, "_Znwm", NULL, "allocator"},
		{FRAME_USER, "freezer", "/usr/bin/app", "app"},
		{FRAME_INLINE, "free", "/usr/bin/app", "allocator"},
		{FRAME_USER, "sort", "/usr/lib/libjemalloc.so.2", "allocator"},
		{FRAME_USER, "frob", "/lib/x86_64-linux-gnu/libc.so.6", "libc"},
		{FRAME_USER, "frob", "/lib/x86_64-linux-gnu/libc-2.31.so", "libc"},
		{FRAME_USER, "[libc.so.6]", "/lib/libc.so.6", "libc"},
		{FRAME_USER, "[libc.so.6]", NULL, "libc"},
		{FRAME_USER, "[libfoo.so]", NULL, "libfoo.so"},
		{FRAME_USER, "[unknown]", NULL, "unknown"},
		{FRAME_USER, "clock_gettime", "[vdso]", "vdso"},
		{FRAME_USER, "_dl_relocate_object", NULL, "ld.so"},
		{FRAME_USER, "pthread_mutex_lock", "/lib/libc.so.6", "locks"},
		{FRAME_USER, "Perl_regexec_flags", "/usr/bin/perl", "regex"},
		{FRAME_USER, "Perl_pp_match", NULL, "regex"},
		{FRAME_USER, "S_setup_EXACTISH_ST.isra.0", "/usr/bin/perl", "regex"},
		{FRAME_USER, "Perl_pp_add", NULL, "perl"},
		{FRAME_USER, "Perl_runops_standard", NULL, "perl"},
		{FRAME_USER, "Perl_pp_entersub", NULL, "perl.call"},
		{FRAME_USER, "Perl_sortsv_flags", NULL, "perl.sort"},
		{FRAME_USER, "sortsv_amagic_ncmp.constprop.0", NULL, "perl.sort"},
		{FRAME_USER, "PerlIOBuf_flush", NULL, "perl.io"},
		{FRAME_USER, "Perl_pp_readline", NULL, "perl.io"},
		{FRAME_USER, "Perl_sv_free2", NULL, "perl.free"},
		{FRAME_USER, "Perl_op_free", NULL, "perl.free"},
		{FRAME_USER, "Perl_op_append_list", NULL, "perl.compile"},
		{FRAME_USER, "yyl_just_a_word.isra.0", NULL, "perl.compile"},
		{FRAME_USER, "Perl_newSVOP", NULL, "perl.compile"},
		{FRAME_USER, "Perl_newSV_type", NULL, "perl"},
		{FRAME_USER, "Perl_ck_fun", NULL, "perl.compile"},
		{FRAME_USER, "Perl_ck_warner", NULL, "perl"},
		{FRAME_USER, "inflate_fast", "/usr/sbin/nginx", "compression"},
		{FRAME_USER, "ngx_http_handler", NULL, "nginx"},
		{FRAME_USER, "sock_recv", "/l/_socket.cpython-311-x86_64-linux-gnu.so", "python"},
		{FRAME_USER, "x", "/l/_json.cpython-311-x86_64-linux-gnu.so", "json"},
		{FRAME_USER, "std::sort<int*>", NULL, "c++"},
		{FRAME_USER, "std::io::Read::read", NULL, "rust"},
		{FRAME_USER, "std::thread::join()", NULL, "c++"},
		{FRAME_USER, "std::thread::spawn", NULL, "rust"},
		{FRAME_USER, "<core::str::Chars as Iterator>::next", NULL, "rust"},
		{FRAME_USER, "runtime.(*mcache).refill", NULL, "allocator"},
		{FRAME_USER, "runtime.(*hmap).growing", NULL, "go"},
		{FRAME_USER, "Handler::run", "/usr/bin/app", "app"},
		{FRAME_JIT, "LazyCompile:*f a.js:1", NULL, "javascript"},
		{FRAME_JIT, "malloc", NULL, "jit"},
		{FRAME_PERL, "My::free", "/app/my.pl", "perl"},
		{FRAME_PERL, "main", NULL, "perl"},
		{FRAME_PERL, "[unknown]", NULL, "perl"},
		{FRAME_PERL, "My::JSON::encode", NULL, "perl"},
		{FRAME_PERL, "My::BEGIN", NULL, "perl.compile"},
		{FRAME_PERL, "POSIX::import", NULL, "perl.compile"},
		{FRAME_PERL, "XSLoader::load", NULL, "perl.compile"},
		{FRAME_PERL, "My::DESTROY", NULL, "perl.free"},
		{FRAME_PERL, "IO::Handle::flush", NULL, "perl.io"},
		{FRAME_PERL, "JSON::XS::encode_json", NULL, "json"},
		{FRAME_PERL, "Mojo::JSON::_decode_value", NULL, "json"},
		{FRAME_PERL, "XML::LibXML::parse_string", NULL, "xml"},
		{FRAME_PERL, "Digest::SHA::sha256_hex", NULL, "crypto"},
		{FRAME_PERL, "IO::Socket::SSL::connect_SSL", NULL, "crypto"},
		{FRAME_PERL, "Compress::Raw::Zlib::crc32", NULL, "compression"},
		{FRAME_PERL, "DBD::Pg::st::execute", NULL, "postgres"},
		{FRAME_PERL, "DBD::mysql::db::_login", NULL, "mysql"},
		{FRAME_PERL, "DBD::SQLite::st::execute", NULL, "sqlite"},
		{FRAME_PERL, "DBI::st::execute", NULL, "dbi"},
		{FRAME_PERL, "Redis::get", NULL, "redis"},
		{FRAME_PERL, "Mojo::Reactor::Poll::one_tick", NULL, "events"},
		{FRAME_PERL, "Mojo::Template::process", NULL, "template"},
		{FRAME_PERL, "Mojo::Message::parse", NULL, "http"},
		{FRAME_PERL, "HTTP::Tiny::get", NULL, "http"},
		{FRAME_USER, "JSON::XS::encode_json", NULL, "user"},
		{FRAME_LUA, "free", NULL, "lua"},
		{FRAME_TASK, "nginx", NULL, "task"},
		{FRAME_NOTE, "[truncated]", NULL, "note"},
		{FRAME_WAKER, "free", NULL, "waker"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		expect(NULL, cases[i].kind, cases[i].name, cases[i].module, cases[i].want);
}

static void test_conditions(void **state)
{
	struct rules *rules =
		rules_of("# a comment, then a blank line\n"
			 "\n"
			 "first function=exact|begin*\r\n"
			 "two\tkind=user|jit  module=libx.so*|\\[odd\\] function=both # the rest "
			 "is not read\n"
			 "path module=/opt/*/bin/*\n"
			 "\"with a blank\" function=\"operator new*\"|a\\|b|\"c|d e\"\n"
			 "hash function=\"#\"\n"
			 "any kind=perl\n"
			 "exact function=exact\n"
			 "inl kind=inlined function=i\n"
			 "usr kind=user function=i\n"
			 "quote function=a\\\"b\n"
			 "\"my \\\"q\\\\\\\"\" function=category\n");

	(void)state;
	expect(rules, FRAME_USER, "exact", NULL, "first");
	expect(rules, FRAME_KERNEL, "beginning", "[kernel]", "first");
	expect(rules, FRAME_USER, "both", "/lib/libx.so.1", "two");
	expect(rules, FRAME_JIT, "both", "/lib/[odd]x/libx.so", "two");
	expect(rules, FRAME_USER, "both", "/lib/liby.so", "liby.so");
	expect(rules, FRAME_KERNEL, "both", "/lib/libx.so", "kernel");
	expect(rules, FRAME_USER, "f", "/opt/x/bin/f", "path");
	expect(rules, FRAME_USER, "f", "/srv/opt/x/bin/f", "f");
	expect(rules, FRAME_USER, "operator new[]", NULL, "with a blank");
	expect(rules, FRAME_USER, "a|b", NULL, "with a blank");
	expect(rules, FRAME_USER, "c", NULL, "with a blank");
	expect(rules, FRAME_USER, "d e", NULL, "with a blank");
	expect(rules, FRAME_USER, "#", NULL, "hash");
	expect(rules, FRAME_PERL, "f", "/x.pl", "any");
	expect(rules, FRAME_INLINE, "i", NULL, "inl");
	expect(rules, FRAME_USER, "i", NULL, "usr");
	expect(rules, FRAME_USER, "a\"b", NULL, "quote");
	expect(rules, FRAME_USER, "category", NULL, "my \"q\\\"");
	expect(rules, FRAME_USER, "exact.cold", NULL, "first");
	expect(rules, FRAME_USER, "exact.html", NULL, "user");
	rules_free(rules);
}

/* The last file has precedence; the built-in rules come last. */
static void test_files(void **state)
{
	struct rules *rules = rules_of("one function=a|b|malloc\n");
	struct strbuf err = STRBUF_INIT;
	uint32_t nr = rules_nr(rules);

	(void)state;
	assert_int_equal(add(rules, "two function=b\n", 15, &err), 0);
	assert_int_equal(rules_nr(rules), nr + 1);
	assert_string_equal(rules_category(rules, 0), "two");
	assert_string_equal(rules_category(rules, 1), "one");
	expect(rules, FRAME_USER, "a", NULL, "one");
	expect(rules, FRAME_USER, "b", NULL, "two");
	expect(rules, FRAME_USER, "malloc", NULL, "one");
	expect(rules, FRAME_USER, "calloc", NULL, "allocator");
	strbuf_release(&err);
	rules_free(rules);
}

/* What is said of a word that is not a kind: it names all kinds, also the kind of each language. */
static void wrong_kind(struct strbuf *want)
{
	strbuf_adds(want, "rules 'FILE': line 1: 'users' is not a kind; use user");
	for (int kind = FRAME_USER + 1; kind < FRAME_KINDS; kind++)
		strbuf_addf(want, ", %s", frame_kind_word((enum frame_kind)kind));
	strbuf_addch(want, '\n');
}

static void test_wrong(void **state)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{"a function=b\nx\n",
			"line 2: 'x' has no condition; use kind=, module=, function="},
		{"a inherit", "line 1: 'a' has no condition; use kind=, module=, function="},
		{"kind=user function=a", "line 1: 'kind=user' is where the category is expected"},
		{"\"\" function=a", "line 1: '' is where the category is expected"},
		{"a kind=users", NULL}, /* see wrong_kind() */
		{"a function=", "line 1: 'function=' has an empty alternative"},
		{"a function=b||c", "line 1: 'function=b||c' has an empty alternative"},
		{"a module=b|", "line 1: 'module=b|' has an empty alternative"},
		{"a function=b function=c", "line 1: 'function=c' repeats a condition"},
		{"a kind=user kind=user", "line 1: 'kind=user' repeats a condition"},
		{"a\n\nb", "line 1: 'a' has no condition; use kind=, module=, function="},
		{"a name=b", "line 1: 'name=b' is neither kind=, module=, function= nor inherit"},
		{"a function=\"b", "line 1: 'function=b' has a quote that does not end"},
		{"a function=[b", "line 1: '[b' has a '[' without ']' or ends in '\\'; "
				  "\\ takes a character as it is"},
		{"a function=\x1b[2J", "line 1: '\\x1b[2J' has a '[' without ']' or ends in '\\'; "
				       "\\ takes a character as it is"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct rules *rules = rules_new();
		struct strbuf err = STRBUF_INIT, want = STRBUF_INIT;
		uint32_t nr = rules_nr(rules);

		if (cases[i].want)
			strbuf_addf(&want, "rules 'FILE': %s\n", cases[i].want);
		else
			wrong_kind(&want);
		assert_int_equal(add(rules, cases[i].text, strlen(cases[i].text), &err), -1);
		assert_string_equal(err.buf, want.buf);
		assert_int_equal(rules_nr(rules), nr);
		strbuf_release(&err);
		strbuf_release(&want);
		rules_free(rules);
	}
}

static void test_unreadable(void **state)
{
	struct rules *rules = rules_new();
	struct strbuf err = STRBUF_INIT;
	char *line = xcalloc(2 << 20, 1);

	(void)state;
	assert_int_equal(rules_add_file(rules, "/nowhere/x", &err), -1);
	assert_string_equal(
		err.buf, "rules '/nowhere/x': cannot be read: No such file or directory\n");
	strbuf_reset(&err);
	assert_int_equal(rules_add_file(rules, "/", &err), -1);
	assert_string_equal(err.buf, "rules '/': cannot be read: Is a directory\n");
	strbuf_reset(&err);
	assert_int_equal(add(rules, "a function=b\0", 13, &err), -1);
	assert_string_equal(err.buf, "rules 'FILE': line 1: it has a NUL byte\n");
	strbuf_reset(&err);
	memset(line, 'x', 2 << 20);
	assert_int_equal(add(rules, line, 2 << 20, &err), -1);
	assert_string_equal(err.buf, "rules 'FILE': line 1: it is too long for a file of rules\n");
	strbuf_release(&err);
	free(line);
	rules_free(rules);
}

/* Expects the category WANT for FN below the frames of STACK, one letter each. */
static void expect_path(const struct rules *rules, const char *stack, const char *want)
{
	struct profile p;
	struct categories c;
	uint32_t frames[16];
	size_t n = strlen(stack);

	profile_init(&p);
	for (size_t i = 0; i < n; i++)
		frames[i] = frame(&p, FRAME_USER, (char[]){stack[i], 0}, NULL);
	profile_add(&p, frames, n, 1);
	profile_finish(&p);
	categories_init(&c, &p, rules);
	uint32_t *ranks = categories_of_nodes(&c, &p);
	struct strbuf got = STRBUF_INIT;

	for (uint32_t i = 1; i < p.nr_nodes; i++)
		strbuf_addf(&got, "%s%s", i > 1 ? " " : "", category_name(&c, ranks[i]));
	assert_string_equal(got.buf, want);
	strbuf_release(&got);
	free(ranks);
	categories_release(&c);
	profile_release(&p);
}

static void test_inherit(void **state)
{
	struct rules *rules = rules_of("first function=f\n"
				       "low inherit function=l\n"
				       "high inherit function=h\n"
				       "own function=o|l\n"
				       "early function=e\n");

	(void)state;
	expect_path(rules, "x", "user");
	expect_path(rules, "xlx", "user low low");
	expect_path(rules, "hx", "high high");
	expect_path(rules, "hlx", "high low low");
	expect_path(rules, "lhx", "low low low");
	expect_path(rules, "lfx", "low first low");
	expect_path(rules, "hox", "high high high");
	expect_path(rules, "ohe", "own high high");
	rules_free(rules);
}

/* With --lines, names are followed by their source. */
static void test_sources(void **state)
{
	struct profile p;
	struct categories c;
	struct frame f = {.kind = FRAME_USER};
	struct function_match fn;

	(void)state;
	profile_init(&p);
	f.name = strpool_adds(&p.names, "malloc malloc.c:12");
	f.source = strpool_adds(&p.names, "malloc.c:12");
	uint32_t id = profile_add_frame(&p, &f);

	profile_add(&p, &id, 1, 1);
	profile_finish(&p);
	categories_init(&c, &p, NULL);
	assert_string_equal(category_name(&c, c.frames[id].own), "allocator");
	assert_int_equal(function_match_init(&fn, "malloc", NULL), 0);
	assert_true(function_match_settle(&fn, &(struct profile *){&p}, 1, NULL));
	function_match_release(&fn);
	categories_release(&c);
	profile_release(&p);
}

/* Ranks are in the order of rules, then of names; each rank is used. */
static void test_ranks(void **state)
{
	struct rules *rules = rules_of("same function=b\nsame function=a\nnone function=nowhere\n");
	struct profile p;
	struct categories c;
	uint32_t frames[4];

	(void)state;
	profile_init(&p);
	frames[0] = frame(&p, FRAME_USER, "z", "/zoo");
	frames[1] = frame(&p, FRAME_USER, "y", "/ape");
	frames[2] = frame(&p, FRAME_USER, "a", NULL);
	frames[3] = frame(&p, FRAME_USER, "b", NULL);
	profile_add(&p, frames, 4, 1);
	profile_finish(&p);
	categories_init(&c, &p, rules);
	assert_int_equal(c.nr_ranks, 4);
	assert_false(c.passes);
	assert_int_equal(c.frames[frames[3]].own, 0);
	assert_int_equal(c.frames[frames[2]].own, 1);
	assert_int_equal(c.frames[frames[1]].own, 2);
	assert_int_equal(c.frames[frames[0]].own, 3);
	assert_string_equal(category_name(&c, 0), "same");
	assert_string_equal(category_name(&c, 1), "same");
	assert_string_equal(category_name(&c, 2), "ape");
	assert_string_equal(category_name(&c, 3), "zoo");
	assert_int_equal(c.frames[frames[0]].passed, c.nr_ranks);
	categories_release(&c);
	profile_release(&p);
	rules_free(rules);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_built_in),
		cmocka_unit_test(test_conditions),
		cmocka_unit_test(test_files),
		cmocka_unit_test(test_wrong),
		cmocka_unit_test(test_unreadable),
		cmocka_unit_test(test_inherit),
		cmocka_unit_test(test_sources),
		cmocka_unit_test(test_ranks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
