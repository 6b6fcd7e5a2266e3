/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names are shortened in one pass over the text. A template argument list is shortened when it is
 * closed, after its content. Equal types are then equal bytes, and the removed part is always the
 * end of OUT.
 */
#include "tidy.h"
#include "lib/strbuf.h"
#include "lib/util.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 64, ARGS_MAX = 12, DEFAULTS_MAX = 8 };

/*
 * The templates of namespace std that have default arguments, with the number of their other
 * arguments, and libstdc++'s internal templates for containers, where the same arguments have no
 * default but are as uninteresting. $0 is the first argument; * matches any rest.
 */
static const struct known {
	const char *name;
	size_t given;
	const char *defaults[DEFAULTS_MAX];
} known[] = {
	{"vector", 1, {"allocator<$0>"}},
	{"deque", 1, {"allocator<$0>"}},
	{"list", 1, {"allocator<$0>"}},
	{"forward_list", 1, {"allocator<$0>"}},
	{"set", 1, {"less<$0>", "allocator<$0>"}},
	{"multiset", 1, {"less<$0>", "allocator<$0>"}},
	{"map", 2, {"less<$0>", "allocator<std::pair<$0 const, $1>>"}},
	{"multimap", 2, {"less<$0>", "allocator<std::pair<$0 const, $1>>"}},
	{"unordered_set", 1, {"hash<$0>", "equal_to<$0>", "allocator<$0>"}},
	{"unordered_multiset", 1, {"hash<$0>", "equal_to<$0>", "allocator<$0>"}},
	{"unordered_map", 2, {"hash<$0>", "equal_to<$0>", "allocator<std::pair<$0 const, $1>>"}},
	{"unordered_multimap", 2,
		{"hash<$0>", "equal_to<$0>", "allocator<std::pair<$0 const, $1>>"}},
	{"stack", 1, {"deque<$0>"}},
	{"queue", 1, {"deque<$0>"}},
	{"priority_queue", 1, {"vector<$0>", "less<$0>"}},
	{"unique_ptr", 1, {"default_delete<$0>"}},
	{"basic_string", 1, {"char_traits<$0>", "allocator<$0>"}},
	{"basic_string_view", 1, {"char_traits<$0>"}},
	{"basic_ios", 1, {"char_traits<$0>"}},
	{"basic_istream", 1, {"char_traits<$0>"}},
	{"basic_ostream", 1, {"char_traits<$0>"}},
	{"basic_iostream", 1, {"char_traits<$0>"}},
	{"basic_streambuf", 1, {"char_traits<$0>"}},
	{"basic_filebuf", 1, {"char_traits<$0>"}},
	{"basic_ifstream", 1, {"char_traits<$0>"}},
	{"basic_ofstream", 1, {"char_traits<$0>"}},
	{"basic_fstream", 1, {"char_traits<$0>"}},
	{"basic_stringbuf", 1, {"char_traits<$0>", "allocator<$0>"}},
	{"basic_stringstream", 1, {"char_traits<$0>", "allocator<$0>"}},
	{"basic_istringstream", 1, {"char_traits<$0>", "allocator<$0>"}},
	{"basic_ostringstream", 1, {"char_traits<$0>", "allocator<$0>"}},
	{"basic_regex", 1, {"regex_traits<$0>"}},
	{"istreambuf_iterator", 1, {"char_traits<$0>"}},
	{"ostreambuf_iterator", 1, {"char_traits<$0>"}},
	{"num_get", 1, {"istreambuf_iterator<$0>"}},
	{"num_put", 1, {"ostreambuf_iterator<$0>"}},
	{"time_get", 1, {"istreambuf_iterator<$0>"}},
	{"time_put", 1, {"ostreambuf_iterator<$0>"}},
	{"money_get", 1, {"istreambuf_iterator<$0>"}},
	{"money_put", 1, {"ostreambuf_iterator<$0>"}},
	{"_Vector_base", 1, {"allocator<$0>"}},
	{"_Deque_base", 1, {"allocator<$0>"}},
	{"_List_base", 1, {"allocator<$0>"}},
	{"_Fwd_list_base", 1, {"allocator<$0>"}},
	{"_Hashtable", 2,
		{"allocator<$1>", "__detail::*", "equal_to<$0>", "hash<$0>", "__detail::*",
			"__detail::*", "__detail::*", "__detail::*"}},
	{"_Rb_tree", 2, {"_Identity<$0>", "less<$0>", "allocator<$0>"}},
	{"_Rb_tree", 2, {"_Select1st<$1>", "less<$0>", "allocator<$1>"}},
};

struct cpp_text {
	const char *s;
	size_t len;
};

struct tidier {
	const char *s; /* rest of the name */
	struct strbuf *out;
	size_t start; /* offset in OUT of the start of the name */
	bool drop_arguments;
	size_t name;         /* offset in OUT of the current qualified name */
	size_t operator_end; /* offset in OUT of the end of the last operator's name, or 0 */
	struct level {
		char open;
		bool call; /* a function's argument list */
		size_t at; /* offset in OUT of the bracket */
		size_t name;
		size_t commas; /* index of its first comma in the array below */
	} levels[DEPTH_MAX];
	size_t depth;
	size_t *commas; /* offsets in OUT of the commas in open template argument lists */
	size_t nr_commas, commas_alloc;
};

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

static void copy(struct tidier *t, size_t n)
{
	strbuf_add(t->out, t->s, n);
	t->s += n;
}

/* Returns the last byte of OUT, or NUL if OUT is empty. */
static char last(const struct tidier *t)
{
	return t->out->len > t->start ? t->out->buf[t->out->len - 1] : '\0';
}

static bool in_qualified_name(const struct tidier *t)
{
	return t->out->len >= t->start + 2 && !memcmp(t->out->buf + t->out->len - 2, "::", 2);
}

/* Returns the length of the operator symbol at S, such as "()", "[]", "<<=" or "->*", or 0. */
static size_t operator_len(const char *s)
{
	static const char *const symbols[] = {"<=>", "<<=", ">>=", "->*", "()", "[]", "<<", ">>",
		"<=", ">=", "==", "!=", "+=", "-=", "*=", "/=", "%=", "^=", "&=", "|=", "&&", "||",
		"++", "--", "->", "<", ">", "=", "+", "-", "*", "/", "%", "^", "&", "|", "!", "~",
		","};

	for (size_t i = 0; i < ARRAY_LEN(symbols); i++)
		if (!strncmp(s, symbols[i], strlen(symbols[i])))
			return strlen(symbols[i]);
	return 0;
}

static bool open_bracket(struct tidier *t)
{
	char before = last(t);
	bool named = is_word(before) || before == '>' || before == ']' ||
		     (t->operator_end && t->operator_end == t->out->len);
	bool goes_on = in_qualified_name(t) || (named && *t->s != '{');

	if (t->depth == DEPTH_MAX)
		return false;
	t->levels[t->depth++] = (struct level){
		.open = *t->s,
		.call = named && *t->s == '(',
		.at = t->out->len,
		.name = goes_on ? t->name : t->out->len,
		.commas = t->nr_commas,
	};
	copy(t, 1);
	return true;
}

/* Copies the symbol after "operator", which may be followed by a template argument list. */
static bool take_operator(struct tidier *t)
{
	size_t n = operator_len(t->s);

	if (!n)
		return true;
	copy(t, n);
	if (t->s[0] == ' ' && t->s[1] == '<')
		copy(t, 1);
	t->operator_end = t->out->len;
	return *t->s != '<' || open_bracket(t);
}

static bool text_is(const char *s, size_t len, const char *word)
{
	return len == strlen(word) && !memcmp(s, word, len);
}

/* Returns whether a namespace is hidden: "std::__cxx11::list" is shown as std::list. */
static bool is_inline_namespace(const struct tidier *t, size_t len)
{
	static const char *const names[] = {"__cxx11", "__1", "_V2"};

	if (t->s[len] != ':' || t->s[len + 1] != ':' || !in_qualified_name(t) ||
		strncmp(t->out->buf + t->name, "std::", 5))
		return false;
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (text_is(t->s, len, names[i]))
			return true;
	return false;
}

static bool take_word(struct tidier *t)
{
	bool is_operator;
	size_t len = 0;

	while (is_word(t->s[len]))
		len++;
	if (is_inline_namespace(t, len)) {
		t->s += len + 2;
		return true;
	}
	if (!in_qualified_name(t))
		t->name = t->out->len;
	is_operator = text_is(t->s, len, "operator");
	copy(t, len);
	return !is_operator || take_operator(t);
}

/* Returns whether TEXT matches PATTERN in namespace std, with ARGS for $0 and $1. */
static bool matches(struct cpp_text text, const char *pattern, const struct cpp_text *args)
{
	const char *s = text.s + 5, *end = text.s + text.len;

	if (text.len < 5 || memcmp(text.s, "std::", 5))
		return false;
	for (; *pattern; pattern++) {
		if (*pattern == '$') {
			const struct cpp_text *arg = &args[*++pattern - '0'];

			if ((size_t)(end - s) < arg->len || memcmp(s, arg->s, arg->len))
				return false;
			s += arg->len;
			continue;
		}
		if (*pattern == '*')
			return true;
		if (*pattern == '>' && s < end && *s == ' ' && s[-1] == '>')
			s++;
		if (s == end || *s++ != *pattern)
			return false;
	}
	return s == end;
}

/*
 * Splits the list LEVEL, which ends at the end of OUT, into ARGS. Returns their number, or 0 if
 * there are too many.
 */
static size_t split_args(const struct tidier *t, const struct level *level, struct cpp_text *args)
{
	size_t n = t->nr_commas - level->commas + 1, at = level->at + 1;

	if (n > ARGS_MAX)
		return 0;
	for (size_t i = 0; i < n; i++) {
		size_t end = i + 1 < n ? t->commas[level->commas + i] : t->out->len;

		at += i && at < end && t->out->buf[at] == ' ';
		args[i] = (struct cpp_text){t->out->buf + at, end - at};
		at = end + 1;
	}
	return n;
}

/* Returns how many of the N template arguments remain without the default ones at the end. */
static size_t without_defaults(const struct known *k, const struct cpp_text *args, size_t n)
{
	size_t keep = n;

	while (keep > k->given && keep - k->given <= DEFAULTS_MAX) {
		const char *pattern = k->defaults[keep - k->given - 1];

		if (!pattern || !matches(args[keep - 1], pattern, args))
			break;
		keep--;
	}
	return keep;
}

/* Replaces "std::basic_string<char" at the end of OUT by "std::string". Returns false otherwise. */
static bool use_typedef(
	struct tidier *t, const struct level *level, const char *name, const struct cpp_text *arg)
{
	bool is_char = text_is(arg->s, arg->len, "char");

	if (strncmp(name, "basic_", 6) || (!is_char && !text_is(arg->s, arg->len, "wchar_t")))
		return false;
	t->out->len = level->name;
	strbuf_adds(t->out, is_char ? "std::" : "std::w");
	strbuf_adds(t->out, name + 6);
	return true;
}

/* Shortens the list at the end of OUT. Returns true if the list was removed with its brackets. */
static bool drop_defaults(struct tidier *t, const struct level *level)
{
	const char *name = t->out->buf + level->name;
	size_t len = level->at - level->name;
	struct cpp_text args[ARGS_MAX];
	size_t n = 0;

	if (len < 5 || memcmp(name, "std::", 5))
		return false;
	for (size_t i = 0; i < ARRAY_LEN(known); i++) {
		const struct known *k = &known[i];

		if (!text_is(name + 5, len - 5, k->name))
			continue;
		n = n ? n : split_args(t, level, args);
		size_t keep = without_defaults(k, args, n);

		if (keep == 1 && use_typedef(t, level, k->name, &args[0]))
			return true;
		if (keep < n) {
			t->out->len = (size_t)(args[keep - 1].s - t->out->buf) + args[keep - 1].len;
			return false;
		}
	}
	return false;
}

static void close_list(struct tidier *t)
{
	const struct level *level = &t->levels[--t->depth];

	t->s++;
	while (last(t) == ' ')
		t->out->len--;
	if (!drop_defaults(t, level)) {
		if (last(t) == '>')
			strbuf_addch(t->out, ' ');
		strbuf_addch(t->out, '>');
	}
	t->nr_commas = level->commas;
	t->name = level->name;
}

/* Returns the length of "const", "&" etc. after an argument list. */
static size_t qualifiers_len(const char *s)
{
	static const char *const words[] = {" const", " volatile", " &&", " &", "&&", "&"};
	size_t len = 0;

	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (!strncmp(s + len, words[i], strlen(words[i])))
			len += strlen(words[i]);
	return len;
}

/* Handles a closing bracket other than ">". Returns false if the brackets are unbalanced. */
static bool close_bracket(struct tidier *t)
{
	char open = *t->s == ')' ? '(' : *t->s == ']' ? '[' : '{';

	while (t->depth && t->levels[t->depth - 1].open == '<')
		t->depth--; /* it was a less-than sign */
	if (!t->depth || t->levels[t->depth - 1].open != open)
		return false;

	const struct level *level = &t->levels[--t->depth];
	size_t qualifiers = qualifiers_len(t->s + 1);

	t->nr_commas = level->commas;
	t->name = level->name;
	if (t->drop_arguments && level->call && !strncmp(t->s + 1 + qualifiers, "::", 2)) {
		t->out->len = level->at;
		t->s += 1 + qualifiers;
	} else {
		copy(t, 1);
	}
	return true;
}

static bool in_list(const struct tidier *t)
{
	return t->depth && t->levels[t->depth - 1].open == '<';
}

/* Handles ">". libiberty writes "> >" to end two lists. ">>", ">=" and "->" are operators. */
static void take_greater(struct tidier *t)
{
	if (t->s[1] == '>' || t->s[1] == '=')
		copy(t, 2);
	else if (last(t) == '-' || !in_list(t))
		copy(t, 1);
	else
		close_list(t);
}

static void take_comma(struct tidier *t)
{
	if (in_list(t)) {
		ALLOC_GROW(t->commas, t->nr_commas, t->commas_alloc);
		t->commas[t->nr_commas++] = t->out->len;
	}
	copy(t, 1);
}

/* Handles the next part of the name. Returns false if brackets are unbalanced or too deep. */
static bool take(struct tidier *t)
{
	char c = *t->s;

	if (is_word(c))
		return take_word(t);
	if (strchr("([{", c) || (c == '<' && (is_word(last(t)) || last(t) == ']')))
		return open_bracket(t);
	if (strchr(")]}", c))
		return close_bracket(t);
	if (c == '>')
		take_greater(t);
	else if (c == ',')
		take_comma(t);
	else
		copy(t, 1);
	return true;
}

void tidy_add(struct strbuf *out, const char *name, bool drop_arguments)
{
	struct tidier t = {
		.s = name,
		.out = out,
		.start = out->len,
		.name = out->len,
		.drop_arguments = drop_arguments,
	};
	bool understood = true;

	while (understood && *t.s)
		understood = take(&t);
	if (!understood || t.depth) {
		out->len = t.start;
		strbuf_adds(out, name);
	}
	free(t.commas);
}
