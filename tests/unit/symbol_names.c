/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Demangling, the kernel's names, and the naming of a whole recording. */
#include "symbol/elf/elffile.h"
#include "symbol/names/kallsyms.h"
#include "symbol_test.h"

#include <sys/auxv.h>
#include <time.h>

/* ---- demangling ---- */

#define HASH "17h0123456789abcdefE"

static const struct {
	const char *mangled, *brief, *full; /* both NULL: not mangled; full NULL: not looked at */
} names[] = {
	{"main", NULL, NULL},
	{"", NULL, NULL},
	{"_Z", NULL, NULL},
	{"_ZN", NULL, NULL},
	{"_Z0", NULL, NULL},
	{"_R", NULL, NULL},
	{"_start", NULL, NULL},
	{"_Z3fooi", "foo", "foo(int)"},
	{"_ZN1AclEi", "A::operator()", "A::operator()(int)"},
	{"_ZNK1AcvbEv", "A::operator bool", "A::operator bool() const"},
	{"_ZlsRSoRK1A", "operator<<", "operator<<(std::ostream&, A const&)"},
	{"_ZN1AltERKS_", "A::operator<", "A::operator<(A const&)"},
	{"_ZltIiEvT_S0_", "operator< <int>", "void operator< <int>(int, int)"},
	{"_ZN1AptEv", "A::operator->", "A::operator->()"},
	{"_ZN12_GLOBAL__N_13fooEv", "(anonymous namespace)::foo", "(anonymous namespace)::foo()"},
	{"_Z3fooIPFviEEvT_", "foo<void (*)(int)>", "void foo<void (*)(int)>(void (*)(int))"},
	{"_ZNSt6vectorIiSaIiEE9push_backERKi", "std::vector<int>::push_back",
		"std::vector<int, std::allocator<int> >::push_back(int const&)"},
	{"_ZN3fooB5cxx11Ev", "foo[abi:cxx11]", "foo[abi:cxx11]()"},
	{"_ZThn8_N1A1fEv", "non-virtual thunk to A::f()", "non-virtual thunk to A::f()"},
	/* lambdas: the enclosing function's arguments go, the lambda's stay */
	{"_ZZ3fooiENKUlvE_clEv", "foo::{lambda()#1}::operator()",
		"foo(int)::{lambda()#1}::operator()() const"},
	{"_ZZN1AclEiENKUlvE_clEv", "A::operator()::{lambda()#1}::operator()",
		"A::operator()(int)::{lambda()#1}::operator()() const"},
	{"_ZZNK1A1fEiENKUlvE_clEv", "A::f::{lambda()#1}::operator()",
		"A::f(int) const::{lambda()#1}::operator()() const"},
	{"_ZZZ3fooIiEvT_ENKUlS0_E_clEiENKUlvE_clEv",
		"foo<int>::{lambda(auto:1)#1}::operator()::{lambda()#1}::operator()",
		"foo<int>(int)::{lambda(auto:1)#1}::operator()(int) "
		"const::{lambda()#1}::operator()() const"},
	/* default arguments and inline namespaces of the standard library */
	{"_Z2fvISt8functionIFSt6vectorIiSaIiEESt3mapIiiSt4lessIiESaISt4pairIKiiEEEEEEvT_",
		"fv<std::function<std::vector<int> (std::map<int, int>)> >",
		"void fv<std::function<std::vector<int, std::allocator<int> > (std::map<int, int, "
		"std::less<int>, std::allocator<std::pair<int const, int> > >)> "
		">(std::function<std::vector<int, std::allocator<int> > (std::map<int, int, "
		"std::less<int>, std::allocator<std::pair<int const, int> > >)>)"},
	{"_Z2fvIPFSt6vectorIiSaIiEENSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEEEvT_",
		"fv<std::vector<int> (*)(std::string)>", NULL},
	{"_Z2fvIPDoFvSt6vectorIiSaIiEEEEvT_", "fv<void (*)(std::vector<int>) noexcept>", NULL},
	{"_Z2fvIM1AKFiiEEvT_", "fv<int (A::*)(int) const>", NULL},
	{"_Z2fvINSt7__cxx1112basic_stringIDsSt11char_traitsIDsESaIDsEEEEvT_",
		"fv<std::basic_string<char16_t> >", NULL},
	{"_Z2fvISt6vectorIi6Alloc2IiEEEvT_", "fv<std::vector<int, Alloc2<int> > >", NULL},
	{"_Z2fvINSt7__cxx1112basic_stringIcSt11char_traitsIcE6Alloc2IcEEEEvT_",
		"fv<std::basic_string<char, std::char_traits<char>, Alloc2<char> > >", NULL},
	{"_ZN4std26vectorIiSaIiEE1xEv", "std2::vector<int, std::allocator<int> >::x", NULL},
	{"_ZNSt3mapINSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEES_IiS5_"
	 "St4lessIiESaISt4pairIK"
	 "iS5_EEES6_IS5_ESaIS8_IKS5_SC_EEEixEOS5_",
		"std::map<std::string, std::map<int, std::string> >::operator[]", NULL},
	{"_ZNSt14priority_queueIiSt6vectorIiSaIiEESt4lessIiEE4pushEOi",
		"std::priority_queue<int>::push", NULL},
	{"_ZNSt5stackIiSt5dequeIiSaIiEEE4pushEOi", "std::stack<int>::push", NULL},
	{"_ZNSt3setISt4pairIiiESt7greaterIvESaIS1_EED1Ev",
		"std::set<std::pair<int, int>, std::greater<void> >::~set", NULL},
	{"_ZNSt8multimapIPKcNSt7__cxx1112basic_stringIwSt11char_traitsIwESaIwEEESt4lessIS1_"
	 "ESaISt4pai"
	 "rIKS1_S7_EEED2Ev",
		"std::multimap<char const*, std::wstring>::~multimap", NULL},
	{"_ZNSt3__16vectorIiNS_9allocatorIiEEE9push_backEOi", "std::vector<int>::push_back",
		"std::__1::vector<int, std::__1::allocator<int> >::push_back(int&&)"},
	{"_ZNSt6chrono3_V212steady_clock3nowEv", "std::chrono::steady_clock::now", NULL},
	{"_ZN5mylib3__16vectorIiE4pushEv", "mylib::__1::vector<int>::push", NULL},
	{"_ZNSolsEi", "std::ostream::operator<<", "std::ostream::operator<<(int)"},
	/* operators in front of lists, lists in front of operators */
	{"_ZNK1AcvSt6vectorIiSaIiEEEv", "A::operator std::vector<int>",
		"A::operator std::vector<int, std::allocator<int> >() const"},
	{"_ZN1AcvPT_ISt6vectorIS_SaIS_EEEEv", "A::operator std::vector<A>*<std::vector<A> >", NULL},
	{"_ZN1AcvPFviEEv", "A::operator void (*)(int)", "A::operator void (*)(int)()"},
	{"_ZN1AltISt3setIiSt4lessIiESaIiEEEEbT_", "A::operator< <std::set<int> >", NULL},
	{"_ZN1AgtISt3setIiSt4lessIiESaIiEEEEbT_", "A::operator><std::set<int> >", NULL},
	{"_ZN1AmiISt6vectorIiSaIiEEEES_T_", "A::operator-<std::vector<int> >", NULL},
	{"_ZN1ApmEi", "A::operator->*", NULL},
	{"_ZNK1AssEi", "A::operator<=>", NULL},
	{"_ZN1AcmEi", "A::operator,", NULL},
	{"_ZN1AnaEm", "A::operator new[]", NULL},
	{"_ZZN1AclINSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEEEvT_S7_ENKUlS6_E_clES6_",
		"A::operator()<std::string>::{lambda(std::string)#1}::operator()", NULL},
	/* literals, comparisons, arrays */
	{"_ZN3LitIL5Color2ELc60ELb1ELin5EE2goEv", "Lit<(Color)2, (char)60, true, -5>::go",
		"Lit<(Color)2, (char)60, true, -5>::go()"},
	{"_Z2fpIXadL_Z1giEEEvv", "fp<&(g(int))>", "void fp<&(g(int))>()"},
	{"_Z2ltILi2EEv1IIXltT_Li3EEES0_IXgtT_Li3EEES0_IXrsT_Li1EEES0_IXlsT_Li1EEE", "lt<2>",
		"void lt<2>(I<(2)<(3)>, I<((2)>(3))>, I<(2)>>(1)>, I<(2)<<(1)>)"},
	{"_Z3decIiEDTltfp_fp0_ET_S1_", "dec<int>",
		"decltype ({parm#1}<{parm#2}) dec<int>(int, int)"},
	{"_Z5arrowIP1AEDTclptfp_1fEET_", "arrow<A*>", NULL},
	{"_Z3arrIA99_KcEvRT_", "arr<char const [99]>", NULL},
	/* what is local to a function, also as an argument */
	{"_ZZN12_GLOBAL__N_13locEiEN1L1xESt6vectorINS_4AnonESaIS2_EE",
		"(anonymous namespace)::loc::L::x", NULL},
	{"_ZNSt17_Function_handlerIFvvEZ3fooiEUlvE_E9_M_invokeERKSt9_Any_data",
		"std::_Function_handler<void (), foo::{lambda()#1}>::_M_invoke", NULL},
	/* not of the linker */
	{"_Z3fooi@plt", "foo@plt", "foo(int)@plt"},
	{"_ZN4core3fmt5write" HASH "@plt", "core::fmt::write@plt",
		"core::fmt::write::h0123456789abcdef@plt"},
	{"_ZN3foo@17h0123456789abcdefE", NULL, NULL},
	/* clones */
	{"_Z3fooi.cold", "foo.cold", "foo(int) [clone .cold]"},
	{"_Z3fooi.isra.0.cold", "foo.isra.0.cold", "foo(int) [clone .isra.0] [clone .cold]"},
	{"_Z3fooi.part.0", "foo.part.0", "foo(int) [clone .part.0]"},
	{"_Z3fooi.constprop.0.isra.0", "foo.constprop.0.isra.0",
		"foo(int) [clone .constprop.0] [clone .isra.0]"},
	{"_Z3fooi.lto_priv.0", "foo.lto_priv.0", "foo(int) [clone .lto_priv.0]"},
	{"_Z3foov.llvm.77AB", "foo", "foo().llvm.77AB"},
	{"_Z3foov.llvm.1234567890", "foo", "foo() [clone .llvm.1234567890]"},
	{"foo.cold", NULL, NULL},
	/* Rust, legacy and v0 */
	{"_ZN4core3fmt5write" HASH, "core::fmt::write", "core::fmt::write::h0123456789abcdef"},
	{"_ZN4core3fmt5write" HASH ".cold", "core::fmt::write.cold",
		"core::fmt::write::h0123456789abcdef.cold"},
	{"_ZN4core3fmt5write" HASH ".llvm.77AB", "core::fmt::write",
		"core::fmt::write::h0123456789abcdef.llvm.77AB"},
	{"_ZN53_$LT$alloc..string..String$u20$as$u20$core..Clone$GT$5clone" HASH,
		"<alloc::string::String as core::Clone>::clone",
		"<alloc::string::String as core::Clone>::clone::h0123456789abcdef"},
	{"_RNvCs1234_7mycrate3foo", "mycrate::foo", "mycrate[3c1c0]::foo"},
	{"_RNvCs1234_7mycrate3foo.llvm.12", "mycrate::foo", "mycrate[3c1c0]::foo.llvm.12"},
	{"_RNCNvCs1234_7mycrate4main0", "mycrate::main::{closure#0}",
		"mycrate[3c1c0]::main::{closure#0}"},
	{"_RINvNtC3std3mem8align_ofdE", "std::mem::align_of::<f64>",
		"std[0]::mem::align_of::<f64>"},
};

static void expect_name(const char *mangled, enum demangle how, const char *expect)
{
	char *got = demangle_name(mangled, how);

	if (!got != !expect || (got && strcmp(got, expect)))
		fail_msg("%s: got %s, not %s", mangled, got ? got : "-", expect ? expect : "-");
	free(got);
}

static void test_demangle(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		expect_name(names[i].mangled, DEMANGLE_SHORT, names[i].brief);
		if (names[i].full || !names[i].brief)
			expect_name(names[i].mangled, DEMANGLE_FULL, names[i].full);
		expect_name(names[i].mangled, DEMANGLE_NONE, NULL);
	}
}

/* f<A<int, int>, A<S1_, S1_>, A<S2_, S2_>, …>: each argument doubles the one before it */
static void make_bomb(struct strbuf *sb, int levels)
{
	strbuf_adds(sb, "_Z1fI1AIiiE");
	for (int i = 1; i <= levels; i++) {
		char c = (char)(i < 10 ? '0' + i : 'A' + i - 10);

		strbuf_addf(sb, "S0_IS%c_S%c_E", c, c);
	}
	strbuf_adds(sb, "Evv");
}

static void test_demangle_bombs(void **state)
{
	struct strbuf sb = STRBUF_INIT;
	clock_t start = clock();

	(void)state;
	for (int how = DEMANGLE_SHORT; how <= DEMANGLE_FULL; how++) {
		strbuf_reset(&sb);
		make_bomb(&sb, 8);
		char *name = demangle_name(sb.buf, (enum demangle)how);

		assert_non_null(name);
		assert_true(strlen(name) > 1000);
		free(name);
		strbuf_reset(&sb);
		make_bomb(&sb, 34);
		assert_null(demangle_name(sb.buf, (enum demangle)how));
	}
	/* deep nesting, below and above the longest name that is looked at */
	for (size_t n = 100; n < 20000; n *= 3) {
		strbuf_reset(&sb);
		strbuf_adds(&sb, "_Z1f");
		for (size_t i = 0; i < n; i++)
			strbuf_addch(&sb, 'P');
		strbuf_addch(&sb, 'i');
		char *name = demangle_name(sb.buf, DEMANGLE_SHORT);

		if (n < 1000)
			assert_string_equal(name, "f");
		free(name);
	}
	strbuf_release(&sb);
	assert_true(clock() - start < 5 * CLOCKS_PER_SEC);
}

static void test_demangle_damaged(void **state)
{
	uint64_t random = 4711;
	char buf[512];

	(void)state;
	for (int i = 0; i < 100000; i++) {
		size_t len = strlen(names[(size_t)i % ARRAY_LEN(names)].mangled);

		memcpy(buf, names[(size_t)i % ARRAY_LEN(names)].mangled, len + 1);
		for (int k = 0; k < 3 && len > 2; k++) {
			random = hash_u64(random);
			buf[2 + random % (len - 2)] = "_ZNKEISTPl09.(<>)v$"[random / 4096 % 19];
		}
		free(demangle_name(buf, (enum demangle)(i % 2)));
	}
}

/* All C++ names of the C++ library: the full form is what c++filt prints. */
static void test_against_cxxfilt(void **state)
{
	char *list = in_dir("list"), *judge_list = in_dir("judge"), *cmd;
	char line[16384], judge_line[65536];
	size_t n = 0;

	(void)state;
	cmd = xasprintf("nm -D --defined-only \"$(g++ -print-file-name=libstdc++.so)\" 2>/dev/null "
			"| sed -n 's/.* [TtWw] \\(_Z[^@]*\\).*/\\1/p' >%s && "
			"c++filt -i <%s >%s 2>/dev/null && test -s %s",
		list, list, judge_list, judge_list);
	if (system(cmd)) {
		printf("# skipped, not here: nm, c++filt or g++\n");
		skip();
	}
	FILE *mangled = fopen(list, "r"), *judge = fopen(judge_list, "r");

	while (fgets(line, sizeof(line), mangled) && fgets(judge_line, sizeof(judge_line), judge)) {
		line[strcspn(line, "\n")] = judge_line[strcspn(judge_line, "\n")] = '\0';
		expect_name(line, DEMANGLE_FULL, judge_line);
		char *brief = demangle_name(line, DEMANGLE_SHORT);

		assert_non_null(brief);
		assert_true(strlen(brief) <= strlen(judge_line));
		free(brief);
		n++;
	}
	printf("# %zu names as c++filt has them\n", n);
	assert_true(n > 1000);
	fclose(mangled);
	fclose(judge);
	free(cmd);
	free(list);
	free(judge_list);
}

/* ---- kallsyms ---- */

static struct kallsyms *kallsyms_of(const char *text, struct strbuf *err)
{
	char *path = in_dir("kallsyms");
	FILE *f = fopen(path, "w");
	struct kallsyms *ks;

	fputs(text, f);
	assert_int_equal(fclose(f), 0);
	ks = kallsyms_read(path, err);
	free(path);
	return ks;
}

static void expect_ksym(const struct kallsyms *ks, uint64_t at, const char *expect,
	const char *expect_module, uint64_t expect_offset)
{
	const char *name, *module;
	uint64_t offset;

	if (!kallsyms_find(ks, at, &name, &module, &offset)) {
		assert_null(expect);
		return;
	}
	assert_non_null(expect);
	assert_string_equal(name, expect);
	assert_string_equal(module, expect_module);
	assert_int_equal(offset, expect_offset);
}

static void test_kallsyms(void **state)
{
	struct kallsyms *ks = kallsyms_of("0000000000000100 A per_cpu_thing\n"
					  "ffffffff81000200 T second\n"
					  "ffffffff81000100 T _stext\n"
					  "ffffffff81000100 T first\n"
					  "ffffffff81000100 t a_local\n"
					  "ffffffff81000200 t __pfx_second\n"
					  "ffffffff81000300 D data\n"
					  "nonsense\n"
					  "ffffffff81000400 t last\n"
					  "ffffffff81000500 T _etext\n"
					  "ffffffffc0001000 t nft_do\t[nf_tables]\n"
					  "ffffffffc0200000 t other\t[other]\n"
					  "ffffffffc0200000 t _stext\t[other]\n"
					  "ffffffffc0300000 t cut off",
		NULL);

	(void)state;
	assert_non_null(ks);
	assert_int_equal(kallsyms_text(ks), 0xffffffff81000100);
	expect_ksym(ks, 0x100, NULL, NULL, 0);
	expect_ksym(ks, 0xffffffff810000ff, NULL, NULL, 0);
	expect_ksym(ks, 0xffffffff81000100, "first", "[kernel]", 0);
	expect_ksym(ks, 0xffffffff81000234, "second", "[kernel]", 0x34);
	expect_ksym(ks, 0xffffffff81000300, NULL, NULL, 0);
	expect_ksym(ks, 0xffffffff81000401, "last", "[kernel]", 1);
	expect_ksym(ks, 0xffffffff81000500, NULL, NULL, 0);
	expect_ksym(ks, 0xffffffffc0001010, "nft_do", "[nf_tables]", 0x10);
	expect_ksym(ks, 0xffffffffc01fffff, NULL, NULL, 0);
	expect_ksym(ks, 0xffffffffc0200001, "other", "[other]", 1);
	expect_ksym(ks, UINT64_MAX, NULL, NULL, 0);
	kallsyms_free(ks);
	kallsyms_free(NULL);
}

static void test_kallsyms_hidden(void **state)
{
	struct strbuf err = STRBUF_INIT;

	(void)state;
	assert_null(kallsyms_of("0000000000000000 T first\n0000000000000000 t x\t[m]\n", &err));
	assert_non_null(strstr(err.buf, "kptr_restrict"));
	strbuf_reset(&err);
	assert_null(kallsyms_of("", &err));
	assert_non_null(strstr(err.buf, "no symbols"));
	assert_null(kallsyms_read("/no/where", NULL));
	strbuf_release(&err);
}

/* Every function of the running kernel has an entry of its own address. */
static void test_kallsyms_running(void **state)
{
	struct strbuf err = STRBUF_INIT;
	struct kallsyms *ks = kallsyms_new(&err);
	FILE *f = fopen("/proc/kallsyms", "r");
	char line[1024], type, name[1000];
	const char *found, *module;
	uint64_t at, offset;
	size_t n = 0;

	(void)state;
	if (!ks) {
		printf("# skipped: %s\n", err.buf);
		strbuf_release(&err);
		if (f)
			fclose(f);
		skip();
	}
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%lx %c %999s", &at, &type, name) != 3 || !strchr("tT", type) ||
			strstr(name, "etext") || strstr(name, "einittext") ||
			strstr(line, "[bpf]")) /* programs come and go */
			continue;
		if (!kallsyms_find(ks, at, &found, &module, &offset) || offset)
			fail_msg("not found: %s", line);
		n++;
	}
	printf("# %zu functions found\n", n);
	fclose(f);
	kallsyms_free(ks);
}

/* ---- recordings ---- */

/* Adds the mapping of ADDRESS in this process; REPLACE_ID takes the place of its build-id. */
static uint32_t map_of(struct recording *rec, const void *address, const char *replace_id,
	const char *replace_path, uint64_t *inside)
{
	FILE *f = fopen("/proc/self/maps", "r");
	uint64_t start = 0, end = 0, offset = 0;
	char line[4096 + 256], path[4096] = "";
	struct elffile *elf;

	while (fgets(line, sizeof(line), f)) {
		path[0] = '\0';
		if (sscanf(line, "%lx-%lx %*s %lx %*s %*s %4095[^\n]", &start, &end, &offset,
			    path) < 3)
			continue;
		if ((uint64_t)address >= start && (uint64_t)address < end)
			break;
	}
	fclose(f);
	*inside = (uint64_t)address - start;
	elf = elffile_open(path, NULL);
	struct rec_map map = {
		.pid = 1,
		.start = start,
		.end = end,
		.offset = offset,
		.path = recording_string(rec, replace_path ? replace_path : path),
		.build_id = recording_string(rec, replace_id ? replace_id
						  : elf      ? elffile_build_id(elf)
							     : NULL),
	};

	elffile_close(elf);
	return recording_add_map(rec, &map);
}

static uint32_t frame_at(struct recording *rec, uint32_t map, uint64_t inside, bool call)
{
	struct rec_frame frame = {
		.kind = FRAME_USER,
		.place = AT_MAP,
		.call = call,
		.map = map,
		.addr = inside,
	};

	return recording_add_frame(rec, &frame);
}

static void expect_frame(
	const struct recording *rec, uint32_t frame, const char *name, uint64_t offset)
{
	const struct rec_frame *f = &rec->frames[frame];

	assert_int_equal(f->nr_names, name ? 1 : 0);
	if (!name)
		return;
	assert_string_equal(recording_get(rec, rec->names[f->names].function), name);
	assert_int_equal(rec->names[f->names].offset, offset);
	assert_int_equal(rec->names[f->names].module, 0);
}

static void test_resolve(void **state)
{
	struct symbol_options options = {0};
	struct strbuf notes = STRBUF_INIT;
	struct recording rec;
	uint64_t own, libc;

	(void)state;
	recording_init(&rec);
	uint32_t own_map = map_of(&rec, (void *)test_resolve, NULL, NULL, &own);
	uint32_t libc_map = map_of(&rec, (void *)strtoul, NULL, NULL, &libc);
	uint32_t wrong_map = map_of(&rec, (void *)strtoul, "0123456789", NULL, &libc);
	uint32_t no_id_map = map_of(&rec, (void *)strtoul, "", NULL, &libc);
	uint32_t deleted_map = map_of(&rec, (void *)strtoul, "", "/bin/sh (deleted)", &libc);
	uint32_t gone_map = map_of(&rec, (void *)strtoul, "", "/no/where", &libc);
	uint32_t heap_map = map_of(&rec, (void *)strtoul, "", "[heap]", &libc);
	uint32_t exact = frame_at(&rec, own_map, own, false);
	uint32_t inside = frame_at(&rec, own_map, own + 3, true);
	uint32_t before = frame_at(&rec, own_map, own, true);
	uint32_t strtoul_frame = frame_at(&rec, libc_map, libc + 1, true);
	uint32_t wrong = frame_at(&rec, wrong_map, libc, false);
	uint32_t no_id = frame_at(&rec, no_id_map, libc, false);
	uint32_t unnamed[] = {
		frame_at(&rec, deleted_map, libc, false),
		frame_at(&rec, gone_map, libc, false),
		frame_at(&rec, heap_map, libc, false),
		frame_at(&rec, libc_map, UINT64_MAX, true),
		frame_at(&rec, libc_map, 1ull << 40, true),
	};

	symbol_resolve(&rec, &options, NULL, &notes);
	expect_frame(&rec, exact, "test_resolve", 0);
	expect_frame(&rec, inside, "test_resolve", 3);
	expect_frame(&rec, strtoul_frame, "strtoul", 1);
	expect_frame(&rec, no_id, "strtoul", 0);
	expect_frame(&rec, wrong, NULL, 0);
	for (size_t i = 0; i < ARRAY_LEN(unnamed); i++)
		expect_frame(&rec, unnamed[i], NULL, 0);
	if (rec.frames[before].nr_names)
		assert_string_not_equal(
			recording_get(&rec, rec.names[rec.frames[before].names].function),
			"test_resolve");
	assert_non_null(strstr(notes.buf, "is not the file that was recorded"));
	assert_non_null(strstr(notes.buf, "'/no/where' is not here"));
	assert_null(strstr(notes.buf, "deleted"));
	assert_null(strstr(notes.buf, "heap"));
	/* all are named that can be: a second time adds nothing */
	size_t nr_names = rec.nr_names;

	symbol_resolve(&rec, &options, NULL, &notes);
	assert_int_equal(rec.nr_names, nr_names);
	recording_release(&rec);
	strbuf_release(&notes);
}

static void test_resolve_root(void **state)
{
	struct symbol_options options = {.root = dir};
	struct strbuf notes = STRBUF_INIT;
	struct recording rec;
	uint64_t own;
	char *copy = in_dir("program");

	(void)state;
	assert_int_equal(elffile_copy_with_plain_eh_frame("/proc/self/exe", copy, NULL), 0);
	recording_init(&rec);
	uint32_t map = map_of(&rec, (void *)test_resolve_root, NULL, "/program", &own);
	uint32_t frame = frame_at(&rec, map, own + 1, true);

	symbol_resolve(&rec, &options, NULL, &notes);
	expect_frame(&rec, frame, "test_resolve_root", 1);
	assert_string_equal(notes.buf, "");
	recording_release(&rec);
	strbuf_release(&notes);
	free(copy);
}

static void test_resolve_vdso(void **state)
{
	const char *image = (const char *)getauxval(AT_SYSINFO_EHDR);
	const Elf64_Ehdr *ehdr = (const Elf64_Ehdr *)image;
	struct symbol_options options = {0};
	struct strbuf notes = STRBUF_INIT;
	struct recording rec;
	uint64_t inside;

	(void)state;
	if (!image)
		skip();
	struct elffile *elf = elffile_open_memory(
		image, ehdr->e_shoff + (size_t)ehdr->e_shnum * ehdr->e_shentsize);
	GElf_Shdr text;

	assert_non_null(elf);
	assert_non_null(elffile_section(elffile_elf(elf), ".text", &text));
	recording_init(&rec);
	uint32_t ours = map_of(&rec, image, elffile_build_id(elf), "[vdso]", &inside);
	uint32_t other = map_of(&rec, image, "0123456789", NULL, &inside);
	size_t named = 0;

	for (uint64_t at = text.sh_offset; at < text.sh_offset + text.sh_size; at += 16)
		frame_at(&rec, ours, at, false);
	uint32_t nr_ours = (uint32_t)rec.nr_frames;
	uint32_t foreign = frame_at(&rec, other, text.sh_offset + 16, false);

	symbol_resolve(&rec, &options, NULL, &notes);
	for (uint32_t i = 0; i < nr_ours; i++)
		if (rec.frames[i].nr_names)
			named += !strcmp(
				recording_get(&rec, rec.names[rec.frames[i].names].function),
				"clock_gettime");
	printf("# clock_gettime of the vdso: %zu of %u places\n", named, nr_ours);
	assert_true(named > 0);
	expect_frame(&rec, foreign, NULL, 0);
	assert_string_equal(notes.buf, "");
	recording_release(&rec);
	strbuf_release(&notes);
	elffile_close(elf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_demangle),
		cmocka_unit_test(test_demangle_bombs),
		cmocka_unit_test(test_demangle_damaged),
		cmocka_unit_test(test_against_cxxfilt),
		cmocka_unit_test(test_kallsyms),
		cmocka_unit_test(test_kallsyms_hidden),
		cmocka_unit_test(test_kallsyms_running),
		cmocka_unit_test(test_resolve),
		cmocka_unit_test(test_resolve_root),
		cmocka_unit_test(test_resolve_vdso),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	setenv("DEBUGINFOD_URLS", "", 1);
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
