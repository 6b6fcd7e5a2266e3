/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Short names of functions. */
#include "lib/strbuf.h"
#include "lib/util.h"
#include "symbol/names/short_name.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static const struct {
	const char *name, *is;
} names[] = {
	{"main", "main"},
	{"std::vector<int, std::allocator<int> >::push_back(int const&)",
		"std::vector<>::push_back"},
	{"std::vector<int>::push_back", "std::vector<>::push_back"},
	{"std::map<int, std::vector<int> >::operator[](int const&)", "std::map<>::operator[]"},
	{"void std::sort<int*, std::less<void> >(int*, int*)", "std::sort<>"},
	{"bool operator< <char>(std::string const&, std::string const&)", "operator< <char>"},
	{"operator new[](unsigned long)", "operator new[]"},
	{"operator new[]", "operator new[]"},
	{"std::ostream& operator<<(std::ostream&, char)", "operator<<"},
	{"T::operator->() const", "T::operator->"},
	{"std::function<void (int)>::operator()(int) const", "std::function<>::operator()"},
	{"(anonymous namespace)::parse(char const*) [clone .cold]", "(anonymous namespace)::parse"},
	{"main::{lambda(int)#1}::operator()(int) const", "main::{lambda(int)#1}::operator()"},
	{"run(int)::{lambda()#1}::operator()() const", "run(int)::{lambda()#1}::operator()"},
	{"T::operator bool() const", "T::operator bool"},
	{"<alloc::vec::Vec<T> as core::fmt::Debug>::fmt",
		"<alloc::vec::Vec<T> as core::fmt::Debug>::fmt"},
	{"alloc::vec::Vec<T,A>::push", "alloc::vec::Vec<>::push"},
	{"java.util.HashMap.getNode", "HashMap.getNode"},
	{"java.lang.Object java.util.HashMap.getNode(java.lang.Object)", "HashMap.getNode"},
	{"java.util.HashMap.<init>", "HashMap.<init>"},
	{"foo.constprop.0.isra.0", "foo.constprop.0.isra.0"},
	{"net/http.(*conn).serve", "net/http.(*conn).serve"},
	{"content_by_lua(nginx.conf:10):main chunk", "content_by_lua(nginx.conf:10):main chunk"},
	{"main::__ANON__[/usr/bin/ack:427]", "main::__ANON__[/usr/bin/ack:427]"},
	{"[truncated: libfoo.so (a.b.C)]", "[truncated: libfoo.so (a.b.C)]"},
	{"libfoo.so+0x1230.cold", "libfoo.so+0x1230.cold"},
	{"f<int>(int) const b.cc:12", "f<> b.cc:12"},
	{"void f<int>(int) b.cc:12", "f<> b.cc:12"},
	{"f(", "f"},
	{"f<", "f<>"},
	{"operator", "operator"},
	{"operator(", "operator"},
	{"", ""},
};

static void test_names(void **state)
{
	struct strbuf out = STRBUF_INIT;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		strbuf_reset(&out);
		short_name_add(&out, names[i].name, strlen(names[i].name));
		assert_string_equal(out.len ? out.buf : "", names[i].is);
	}
	strbuf_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_names)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
