/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Demangling, judged by c++filt where it is installed. */
#include "symbol_test.h"

#include <time.h>

#define HASH "17h0123456789abcdefE"

static const struct {
	const char *mangled, *brief, *full; /* NULL if not mangled; full also if unused */
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
	/* names local to a function, also as an argument */
	{"_ZZN12_GLOBAL__N_13locEiEN1L1xESt6vectorINS_4AnonESaIS2_EE",
		"(anonymous namespace)::loc::L::x", NULL},
	{"_ZNSt17_Function_handlerIFvvEZ3fooiEUlvE_E9_M_invokeERKSt9_Any_data",
		"std::_Function_handler<void (), foo::{lambda()#1}>::_M_invoke", NULL},
	/* not a linker's name */
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
	/* deep nesting, below and above the length limit of names */
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

/* For all C++ names of the C++ library, the full form equals c++filt's. */
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_demangle),
		cmocka_unit_test(test_demangle_bombs),
		cmocka_unit_test(test_demangle_damaged),
		cmocka_unit_test(test_against_cxxfilt),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
