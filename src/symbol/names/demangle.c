/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "demangle.h"
#include "lib/strbuf.h"
#include "tidy.h"

#define HAVE_DECL_BASENAME 1 /* <string.h> declares it */
#include <libiberty/demangle.h>
#include <setjmp.h>
#include <string.h>

/*
 * Names come from traced programs. A few hundred mangled bytes can expand to gigabytes, so longjmp
 * leaves the demangler if its output gets too long.
 */
enum {
	NAME_LIMIT = 8192, /* longest mangled name in bytes, because the demangler is recursive */
	/* up to this length, real names stay within libiberty's recursion limit */
	NAME_ALWAYS = 1024,
	OUTPUT_LIMIT = 65536, /* longest demangled name in bytes */
	OUTPUT_MORE = 4096,   /* a shorter limit for short names: this many bytes */
	OUTPUT_TIMES = 64,    /* plus this many for each mangled byte (real names have up to 17) */
};

struct short_name {
	struct strbuf *out;
	size_t limit;
	jmp_buf too_long;
};

static void take_output(const char *text, size_t len, void *data)
{
	struct short_name *o = data;

	if (o->out->len + len > o->limit)
		longjmp(o->too_long, 1);
	strbuf_add(o->out, text, len);
}

static bool call_libiberty(
	struct short_name *o, const char *name, enum mangling language, int options)
{
	if (setjmp(o->too_long))
		return false;
	if (language == RUST)
		return rust_demangle_callback(name, options, take_output, o);
	return cplus_demangle_v3_callback(name, options, take_output, o);
}

/* Appends the LEN bytes of NAME demangled. Returns false, and leaves OUT unchanged, on failure. */
static bool demangle_bytes(
	struct strbuf *out, const char *name, size_t len, enum mangling language, enum demangle how)
{
	size_t limit = OUTPUT_MORE + len * OUTPUT_TIMES;
	struct short_name o = {
		.out = out,
		.limit = out->len + (limit < OUTPUT_LIMIT ? limit : OUTPUT_LIMIT),
	};
	int options = len > NAME_ALWAYS ? DMGL_NO_RECURSE_LIMIT : DMGL_NO_OPTS;
	struct strbuf copy = STRBUF_INIT;
	size_t start = out->len;

	if (how == DEMANGLE_FULL)
		options |= language == RUST ? DMGL_VERBOSE : DMGL_ANSI | DMGL_PARAMS;
	strbuf_add(&copy, name, len);
	bool done = call_libiberty(&o, copy.buf, language, options) && out->len > start;

	strbuf_release(&copy);
	if (!done)
		out->len = start;
	return done;
}

/* Returns the end of a legacy Rust name ("17h", 16 hex digits, "E"), or NULL if NAME is not one. */
static const char *rust_legacy_end(const char *name)
{
	const char *s = name;

	while ((s = strstr(s, "17h"))) {
		const char *hash = s + 3;
		size_t digits = strspn(hash, "0123456789abcdef");

		if (digits == 16 && hash[16] == 'E' && strchr(".@", hash[17]))
			return hash + 17;
		s = hash;
	}
	return NULL;
}

/*
 * Guesses the language of the LEN bytes of NAME. SUFFIX is the offset of ".cold", ".llvm.12" etc.
 */
static enum mangling language_of(const char *name, size_t len, size_t *suffix)
{
	const char *end;

	*suffix = strcspn(name, ".@");
	if (name[0] != '_' || (name[1] != 'Z' && name[1] != 'R'))
		return NOT_MANGLED;
	if (name[1] == 'R')
		return RUST;
	end = rust_legacy_end(name);
	if (!end || end > name + len)
		return CPP;
	*suffix = (size_t)(end - name);
	return RUST;
}

static void add_suffix(struct strbuf *out, const char *suffix, size_t len, enum demangle how)
{
	const char *llvm = memmem(suffix, len, ".llvm.", 6);
	const char *end = suffix + len;

	/* omit the hash, as in Rust's own names */
	if (how == DEMANGLE_SHORT && llvm && llvm + 6 + strspn(llvm + 6, "0123456789ABCDEF") == end)
		end = llvm;
	strbuf_add(out, suffix, (size_t)(end - suffix));
}

/* Appends NAME in the form that libiberty gives it. */
static enum mangling add_whole(struct strbuf *out, const char *name, enum demangle how)
{
	size_t len = strcspn(name, "@"), suffix; /* flametap itself appended "@plt" */
	enum mangling language = language_of(name, len, &suffix);

	if (how == DEMANGLE_NONE || !language || len > NAME_LIMIT)
		return NOT_MANGLED;
	if (language == CPP && how == DEMANGLE_FULL && demangle_bytes(out, name, len, CPP, how)) {
		suffix = len; /* libiberty includes it: "f(int) [clone .cold]" */
	} else if (!demangle_bytes(out, name, suffix, language, how)) {
		if (language == CPP || name[1] != 'Z' ||
			!demangle_bytes(out, name, suffix, CPP, how))
			return NOT_MANGLED;
		language = CPP; /* it only looks like Rust */
	}
	add_suffix(out, name + suffix, len - suffix, how);
	strbuf_adds(out, name + len);
	return language;
}

enum mangling demangle_add(struct strbuf *out, const char *name, enum demangle how)
{
	struct strbuf whole = STRBUF_INIT;
	enum mangling language = add_whole(&whole, name, how);

	if (language == CPP && how == DEMANGLE_SHORT)
		tidy_add(out, whole.buf, true);
	else
		strbuf_add(out, whole.buf, whole.len);
	strbuf_release(&whole);
	return language;
}

char *demangle_name(const char *name, enum demangle how)
{
	struct strbuf out = STRBUF_INIT;

	if (demangle_add(&out, name, how))
		return strbuf_detach(&out);
	strbuf_release(&out);
	return NULL;
}
