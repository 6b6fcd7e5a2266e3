/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "perl_walk.h"
#include "lib/strbuf.h"
#include "lib/util.h"

#include <inttypes.h>
#include <string.h>

/* The longest names that are believed, and what is read at once of a string without length. */
enum { NAME_MAX_LEN = 4096, CHUNK = 64 };

enum { HEK_WAS_UTF8 = 2 }; /* HVhek_WASUTF8 */

/* A walk, and the memory that it reads. */
struct user_walk {
	struct perl_walk walk;
	const struct memory *memory;
};

static int read_target(struct perl_walk *w, void *to, uint32_t size, uint64_t address)
{
	struct user_walk *u = (struct user_walk *)w;

	return memory_read(u->memory, address, to, size) ? 0 : -1;
}

#define PERL_READ(w, to, size, at) read_target(w, to, size, at)
#define PERL_SEEN(w, cv) NULL
#include "perl_step.h"

static enum perl_end walk(struct perl_walk *w, const struct perl_layout *l, uint64_t interpreter,
	struct perl_stack *stack)
{
	int end = perl_begin(w, l, interpreter);

	for (;;) {
		if (w->found && stack->nr == stack->max)
			return PERL_CUT;
		if (w->found)
			stack->frames[stack->nr++] = w->frame;
		if (end != PERL_ON)
			return (enum perl_end)end;
		end = perl_step(w, l);
	}
}

enum perl_end perl_walk(const struct perl_layout *l, const struct memory *memory,
	uint64_t interpreter, struct perl_stack *stack)
{
	struct user_walk u = {.walk.mixed = stack->mixed, .memory = memory};

	stack->nr = 0;
	return walk(&u.walk, l, interpreter, stack);
}

enum perl_end perl_walk_thread(const struct perl_layout *l, const struct memory *memory,
	uint64_t thread, struct perl_stack *stack)
{
	uint64_t interpreter;

	stack->nr = 0;
	if (!way_walk(&l->interpreter, memory, thread, &interpreter))
		return PERL_NOT_RUNNING;
	return perl_walk(l, memory, interpreter, stack);
}

/* ---- names ---- */

static void cut(struct strbuf *sb, size_t len)
{
	if (sb->len > len) {
		sb->len = len;
		sb->buf[len] = '\0';
	}
}

static bool read_number(const struct memory *m, uint64_t address, uint32_t *value)
{
	return memory_read(m, address, value, sizeof(*value));
}

static bool sv_type(const struct perl_layout *l, const struct memory *m, uint64_t sv,
	uint32_t *flags, uint64_t *body)
{
	const struct perl_shape *s = &l->shape;

	return sv && read_number(m, sv + s->sv_flags, flags) &&
	       memory_pointer(m, sv + s->sv_any, body) && *body;
}

static bool is_glob(uint32_t flags)
{
	uint32_t type = flags & PERL_SVTYPEMASK;

	return (type == PERL_SVt_PVGV || type == PERL_SVt_PVLV) && (flags & PERL_SVpgv_GP);
}

/*
 * The bytes of a key, in UTF-8 if perl knows its characters: those that fit Latin-1 are kept in
 * that, with a flag behind the NUL that follows them.
 */
static bool add_hek(
	const struct perl_layout *l, const struct memory *m, uint64_t hek, struct strbuf *out)
{
	unsigned char key[NAME_MAX_LEN + 2];
	uint32_t len;

	if (!hek || !read_number(m, hek + l->shape.hek_len, &len) || !len || len > NAME_MAX_LEN ||
		!memory_read(m, hek + l->shape.hek_key, key, len + 2) || key[len])
		return false;
	if (!(key[len + 1] & HEK_WAS_UTF8)) {
		strbuf_add(out, key, len);
		return true;
	}
	for (uint32_t i = 0; i < len; i++) {
		if (key[i] & 0x80)
			strbuf_addch(out, (char)(0xc0 | key[i] >> 6));
		strbuf_addch(out, (char)(key[i] & 0x80 ? 0x80 | (key[i] & 0x3f) : key[i]));
	}
	return true;
}

/* The place of a hash's struct xpvhv_aux: since 5.36 in its body, before behind its array. */
static bool find_aux(const struct perl_layout *l, const struct memory *m, uint64_t hv,
	uint64_t body, uint64_t *aux)
{
	const struct perl_shape *s = &l->shape;
	uint64_t array, max;

	if (s->xhv_aux != PERL_NONE) {
		*aux = body + s->xhv_aux;
		return true;
	}
	if (!memory_pointer(m, hv + s->sv_u, &array) || !memory_pointer(m, body + s->xhv_max, &max))
		return false;
	*aux = array + (max + 1) * sizeof(uint64_t);
	return true;
}

/* The name's HEK; 0: the stash has none (any longer). */
static bool stash_hek(
	const struct perl_layout *l, const struct memory *m, uint64_t hv, uint64_t *hek)
{
	const struct perl_shape *s = &l->shape;
	uint32_t flags, count = 0;
	uint64_t body, aux;

	if (!sv_type(l, m, hv, &flags, &body) || (flags & PERL_SVTYPEMASK) != PERL_SVt_PVHV)
		return false;
	*hek = 0;
	if (!(flags & PERL_SVf_OOK))
		return true;
	if (!find_aux(l, m, hv, body, &aux) || !memory_pointer(m, aux + s->aux_name, hek))
		return false;
	if (*hek && s->aux_name_count != PERL_NONE &&
		!read_number(m, aux + s->aux_name_count, &count))
		return false;
	return !count || memory_pointer(m, *hek, hek); /* of several names, the first */
}

static bool add_package(
	const struct perl_layout *l, const struct memory *m, uint64_t stash, struct strbuf *out)
{
	uint64_t hek = 0;

	if (stash && !stash_hek(l, m, stash, &hek))
		return false;
	if (!hek)
		strbuf_adds(out, "__ANON__");
	else if (!add_hek(l, m, hek, out))
		return false;
	strbuf_adds(out, "::");
	return true;
}

/* The glob under whose name GV is known: its own, or that of the one it was copied from. */
static bool effective_glob(
	const struct perl_layout *l, const struct memory *m, uint64_t *gv, uint64_t *body)
{
	uint64_t gp, egv, egv_body;
	uint32_t flags;

	if (!sv_type(l, m, *gv, &flags, body) || !is_glob(flags) ||
		!memory_pointer(m, *gv + l->shape.sv_u, &gp))
		return false;
	if (!gp || !memory_pointer(m, gp + l->shape.gp_egv, &egv))
		return !gp;
	if (egv && egv != *gv && sv_type(l, m, egv, &flags, &egv_body) && is_glob(flags)) {
		*gv = egv;
		*body = egv_body;
	}
	return true;
}

static bool add_glob_name(const struct perl_layout *l, const struct memory *m, uint64_t gv,
	bool lexical, struct strbuf *out)
{
	uint64_t body, stash, hek;

	if (!effective_glob(l, m, &gv, &body) ||
		!memory_pointer(m, body + l->shape.xgv_stash, &stash) ||
		!memory_pointer(m, body + l->shape.xgv_namehek, &hek))
		return false;
	return (lexical || add_package(l, m, stash, out)) && add_hek(l, m, hek, out);
}

/* Perl_cv_name */
static bool add_sub_name(const struct perl_layout *l, const struct memory *m,
	const struct perl_frame *frame, struct strbuf *out)
{
	uint64_t name = frame->what & PERL_ADDRESS;
	bool lexical = frame->what & PERL_LEXICAL;

	if (!name) {
		strbuf_adds(out, "(unknown)");
		return true;
	}
	if (!(frame->what & PERL_BY_KEY))
		return add_glob_name(l, m, name, lexical, out);
	return (lexical || add_package(l, m, frame->with, out)) && add_hek(l, m, name, out);
}

/* All subs without a name are called the same: where one begins tells which. */
static void add_beginning(const struct perl_layout *l, const struct memory *m,
	const struct perl_frame *frame, struct strbuf *out)
{
	struct strbuf file = STRBUF_INIT;
	uint32_t line;

	if (!(frame->what & PERL_BY_KEY) && ends_with(out->buf, "::__ANON__") && frame->with &&
		perl_cop_place(l, m, frame->with, &file, &line))
		strbuf_addf(out, "[%s:%" PRIu32 "]", file.buf, line);
	strbuf_release(&file);
}

bool perl_frame_name(const struct perl_layout *l, const struct memory *m,
	const struct perl_frame *frame, struct strbuf *name)
{
	size_t len = name->len;

	switch (perl_frame_kind(frame)) {
	case PERL_EVAL:
		strbuf_adds(name, "(eval)");
		return true;
	case PERL_MAIN:
		strbuf_adds(name, "main");
		return true;
	case PERL_SUB:
	case PERL_XSUB:
		if (add_sub_name(l, m, frame, name)) {
			add_beginning(l, m, frame, name);
			return true;
		}
		/* fall through */
	default:
		cut(name, len);
		return false;
	}
}

/* ---- places ---- */

/* A statement, or the one that stands for what is being compiled (PL_compiling, of type 0). */
static bool is_cop(const struct perl_layout *l, const struct memory *m, uint64_t op)
{
	uint16_t type;

	if (!op || !memory_read(m, op + l->shape.op_type, &type, sizeof(type)))
		return false;
	type &= PERL_OP_TYPE;
	return !type || type == l->shape.OP_NEXTSTATE || type == l->shape.OP_DBSTATE;
}

/* Appends the string at ADDRESS. Reads do not go over the end of a page before its NUL. */
static bool add_string(const struct memory *m, uint64_t address, struct strbuf *out)
{
	char chunk[CHUNK];

	for (size_t len = 0; len < NAME_MAX_LEN;) {
		size_t n = CHUNK - address % CHUNK;
		const char *end;

		if (!memory_read(m, address, chunk, n))
			return false;
		end = memchr(chunk, '\0', n);
		strbuf_add(out, chunk, end ? (size_t)(end - chunk) : n);
		if (end)
			return true;
		address += n;
		len += n;
	}
	return false;
}

/* Without threads it is a glob whose name is "_<" and the file's. */
static bool add_file_glob(
	const struct perl_layout *l, const struct memory *m, uint64_t gv, struct strbuf *out)
{
	struct strbuf name = STRBUF_INIT;
	uint64_t body, hek;
	uint32_t flags;
	bool added = sv_type(l, m, gv, &flags, &body) && is_glob(flags) &&
		     memory_pointer(m, body + l->shape.xgv_namehek, &hek) &&
		     add_hek(l, m, hek, &name) && name.len > 2 && !memcmp(name.buf, "_<", 2);

	if (added)
		strbuf_add(out, name.buf + 2, name.len - 2);
	strbuf_release(&name);
	return added;
}

bool perl_cop_place(const struct perl_layout *l, const struct memory *m, uint64_t cop,
	struct strbuf *file, uint32_t *line)
{
	size_t len = file->len;
	uint64_t name;

	cop &= PERL_ADDRESS;
	if (is_cop(l, m, cop) && read_number(m, cop + l->shape.cop_line, line) &&
		memory_pointer(m, cop + l->shape.cop_file, &name) && name &&
		(l->threads ? add_string(m, name, file) : add_file_glob(l, m, name, file))) {
		if (*line == UINT32_MAX)
			*line = 0;
		return true;
	}
	cut(file, len);
	return false;
}
