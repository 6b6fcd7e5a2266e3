/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "demangle.h"
#include "lib/strbuf.h"

#define HAVE_DECL_BASENAME 1 /* <string.h> has it */
#include <libiberty/demangle.h>
#include <ctype.h>
#include <setjmp.h>
#include <string.h>

/*
 * Names come from traced programs. A few hundred mangled bytes can stand for gigabytes of text, so
 * the demangler is left by longjmp when its output gets too long.
 */
enum {
	NAME_LIMIT = 8192,    /* bytes of a mangled name: the demangler recurses with it */
	NAME_ALWAYS = 1024,   /* up to here libiberty's own limit does not refuse real names */
	OUTPUT_LIMIT = 65536, /* bytes of a demangled one */
	GROUP_DEPTH = 64,
};

struct output {
	struct strbuf *out;
	size_t limit;
	jmp_buf too_long;
};

static void take_output(const char *text, size_t len, void *data)
{
	struct output *o = data;

	if (o->out->len + len > o->limit)
		longjmp(o->too_long, 1);
	strbuf_add(o->out, text, len);
}

static bool demangle_bytes(struct strbuf *out, const char *name, bool rust, int options)
{
	struct output o = {.out = out, .limit = out->len + OUTPUT_LIMIT};

	if (setjmp(o.too_long))
		return false;
	if (rust)
		return rust_demangle_callback(name, options, take_output, &o);
	return cplus_demangle_v3_callback(name, options, take_output, &o);
}

/* The end of a legacy Rust name, which is "17h", 16 hex digits, "E"; NULL when NAME is none. */
static const char *rust_legacy_end(const char *name)
{
	const char *s = name;

	while ((s = strstr(s, "17h"))) {
		const char *hash = s + 3;
		size_t digits = strspn(hash, "0123456789abcdef");

		if (digits == 16 && hash[16] == 'E' && (!hash[17] || hash[17] == '.'))
			return hash + 17;
		s = hash;
	}
	return NULL;
}

static bool ends_with_operator(const char *s, size_t len)
{
	static const char word[] = "operator";
	const size_t n = sizeof(word) - 1;

	return len >= n && !memcmp(s + len - n, word, n) &&
	       (len == n || !(isalnum((unsigned char)s[len - n - 1]) || s[len - n - 1] == '_'));
}

/* The length of what makes an operator's name behind the word: "()", "[]", "<<=", "->*". */
static size_t operator_len(const char *s)
{
	if (!strncmp(s, "()", 2) || !strncmp(s, "[]", 2))
		return 2;
	return strspn(s, "<>=-+*/%^&|~!,");
}

/* The length of the bracketed group that S + AT starts with, 0 when it does not end. */
static size_t group_len(const char *s, size_t at)
{
	char open[GROUP_DEPTH];
	size_t depth = 0, i = at;

	do {
		char c = s[i];

		if (ends_with_operator(s, i) && operator_len(s + i)) {
			i += operator_len(s + i);
			continue;
		}
		if (c == '(' || c == '<' || c == '{' || c == '[') {
			if (depth == GROUP_DEPTH)
				return 0;
			open[depth++] = c;
		} else if (c == '>') {
			/* otherwise "->" or greater-than */
			if (depth && open[depth - 1] == '<' && s[i - 1] != '-')
				depth--;
		} else if (c == ')' || c == '}' || c == ']') {
			char opener = c == ')' ? '(' : c == '}' ? '{' : '[';

			while (depth && open[depth - 1] == '<')
				depth--; /* was less-than */
			if (!depth || open[--depth] != opener)
				return 0;
		} else if (!c) {
			return 0;
		}
		i++;
	} while (depth);
	return i - at;
}

/* The length of "const", "&" and so on behind an argument list. */
static size_t qualifiers_len(const char *s)
{
	static const char *const words[] = {" const", " volatile", " &&", " &", "&&", "&"};
	size_t len = 0;

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (!strncmp(s + len, words[i], strlen(words[i])))
			len += strlen(words[i]);
	return len;
}

/*
 * Takes the argument lists of enclosing functions out of the name in SB from START on, as libiberty
 * did with its own: "f(int)::{lambda()#1}::operator()" becomes "f::{lambda()#1}::operator()". A
 * name that is not understood stays as it is.
 */
static void drop_enclosing_arguments(struct strbuf *sb, size_t start)
{
	const char *s = sb->buf + start;
	struct strbuf out = STRBUF_INIT;
	size_t i = 0, n;

	while (s[i]) {
		n = ends_with_operator(s, i) ? operator_len(s + i) : 0;
		if (!n && strchr("(<{[", s[i])) {
			n = group_len(s, i);
			if (!n)
				goto out;
			size_t behind = i + n + qualifiers_len(s + i + n);

			/* "(anonymous namespace)" starts a name */
			if (s[i] == '(' && i && s[i - 1] != ':' && !strncmp(s + behind, "::", 2)) {
				i = behind;
				continue;
			}
		}
		if (!n)
			n = 1;
		strbuf_add(&out, s + i, n);
		i += n;
	}
	sb->len = start;
	strbuf_add(sb, out.buf, out.len);
out:
	strbuf_release(&out);
}

static void add_suffix(struct strbuf *out, const char *suffix, enum demangle how)
{
	const char *llvm = strstr(suffix, ".llvm.");

	/* a hash that tells nothing, as Rust's own */
	if (how == DEMANGLE_SHORT && llvm && !llvm[6 + strspn(llvm + 6, "0123456789ABCDEF")])
		strbuf_add(out, suffix, (size_t)(llvm - suffix));
	else
		strbuf_adds(out, suffix);
}

/* The mangled NAME without its suffix; false and OUT as it was when it is none. */
static bool demangle_base(struct strbuf *out, const char *name, bool rust, enum demangle how)
{
	size_t start = out->len;
	int options = DMGL_NO_OPTS;

	if (how == DEMANGLE_FULL)
		options = rust ? DMGL_VERBOSE : DMGL_ANSI | DMGL_PARAMS;
	if (strlen(name) > NAME_ALWAYS)
		options |= DMGL_NO_RECURSE_LIMIT;
	if (demangle_bytes(out, name, rust, options) && out->len > start) {
		if (!rust && how == DEMANGLE_SHORT)
			drop_enclosing_arguments(out, start);
		return true;
	}
	out->len = start;
	strbuf_add(out, "", 0);
	return false;
}

bool demangle_add(struct strbuf *out, const char *name, enum demangle how)
{
	bool rust = name[0] == '_' && name[1] == 'R';
	const char *suffix;
	struct strbuf base = STRBUF_INIT;
	bool done;

	if (how == DEMANGLE_NONE || name[0] != '_' || (!rust && name[1] != 'Z') ||
		strlen(name) > NAME_LIMIT)
		return false;
	suffix = rust ? NULL : rust_legacy_end(name);
	if (suffix)
		rust = true;
	else if (!rust && how == DEMANGLE_FULL)
		suffix = strchr(name, '\0'); /* libiberty's form: "f(int) [clone .cold]" */
	else
		suffix = strchrnul(name, '.');
	strbuf_add(&base, name, (size_t)(suffix - name));
	done = demangle_base(out, base.buf, rust, how);
	if (!done && rust && name[1] == 'Z') /* C++ that only looks like it */
		done = demangle_base(out, base.buf, false, how);
	strbuf_release(&base);
	if (done)
		add_suffix(out, suffix, how);
	return done;
}

char *symbol_demangle(const char *name, enum demangle how)
{
	struct strbuf out = STRBUF_INIT;

	if (demangle_add(&out, name, how))
		return strbuf_detach(&out);
	strbuf_release(&out);
	return NULL;
}
