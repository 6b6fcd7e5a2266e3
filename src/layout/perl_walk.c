/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "perl_walk.h"
#include "lib/strbuf.h"
#include "lib/util.h"

#include <string.h>

/* The longest names that are believed, and what is read at once of a string without length. */
enum { NAME_MAX_LEN = 4096, CHUNK = 64 };

enum { HEK_WAS_UTF8 = 2, OP_TYPE_MASK = 0x1ff }; /* HVhek_WASUTF8, a bit field */

struct walk {
	const struct perl_layout *layout;
	const struct memory *memory;
	struct perl_frame *frames;
	size_t max, nr;
	uint64_t contexts, below; /* of the stack that is looked at; the stack under it */
	int32_t at;               /* index in there, -1: below the last one */
	int32_t type;             /* of the stack */
	uint64_t cop;             /* the statement of the next frame */
	unsigned nr_stacks, nr_contexts;
};

static void cut(struct strbuf *sb, size_t len)
{
	if (sb->len > len) {
		sb->len = len;
		sb->buf[len] = '\0';
	}
}

static uint32_t number_at(const unsigned char *bytes, uint32_t offset)
{
	uint32_t value;

	memcpy(&value, bytes + offset, sizeof(value));
	return value;
}

static uint64_t pointer_at(const unsigned char *bytes, uint32_t offset)
{
	uint64_t value;

	memcpy(&value, bytes + offset, sizeof(value));
	return value;
}

static bool read_number(const struct memory *m, uint64_t address, uint32_t *value)
{
	return memory_read(m, address, value, sizeof(*value));
}

static bool read_cv_flags(
	const struct perl_layout *l, const struct memory *m, uint64_t body, uint32_t *flags)
{
	*flags = 0;
	return memory_read(m, body + l->shape.xcv_flags, flags, l->shape.xcv_flags_size);
}

/* ---- stacks and contexts ---- */

/*
 * Since 5.32 the subs and evals of a stack are chained by their indexes. That saves looking at what
 * lies between them; and an index is set when its context is filled.
 */
static bool is_chained(const struct perl_shape *s)
{
	return s->si_cxsubix != PERL_NONE && s->cx_oldsubix != PERL_NONE;
}

static uint32_t si_size(const struct perl_shape *s)
{
	return s->si_type + (uint32_t)sizeof(uint32_t); /* the last one of those that are read */
}

static enum perl_end enter_stack(struct walk *w, uint64_t stackinfo)
{
	const struct perl_shape *s = &w->layout->shape;
	unsigned char si[PERL_SI_MAX];
	int32_t top;

	if (w->nr_stacks++ >= PERL_STACKS_MAX || !memory_read(w->memory, stackinfo, si, si_size(s)))
		return PERL_INCONSISTENT;
	w->contexts = pointer_at(si, s->si_cxstack);
	w->below = pointer_at(si, s->si_prev);
	w->type = (int32_t)number_at(si, s->si_type);
	top = (int32_t)number_at(si, s->si_cxix);
	w->at = is_chained(s) ? (int32_t)number_at(si, s->si_cxsubix) : top;
	return w->at >= -1 && w->at <= top && top < PERL_CONTEXTS_MAX ? PERL_WHOLE
								      : PERL_INCONSISTENT;
}

static uint32_t kind_of(const struct perl_shape *s, const unsigned char *cx)
{
	return cx[s->cx_kind] | (s->cx_kind_size > 1 ? (uint32_t)cx[s->cx_kind + 1] << 8 : 0);
}

/* What caller looks at, in all others there is no sub; perl has these rules in dopoptosub_at. */
static bool is_frame(const struct perl_shape *s, uint32_t kind)
{
	uint32_t type = kind & s->CXTYPEMASK;

	if (type == s->CXt_SUB)
		return !(kind & s->CXp_SUB_RE_FAKE);
	return type == s->CXt_FORMAT || (type == s->CXt_EVAL && !(kind & s->CXp_TRY));
}

static bool is_chain_link(const struct perl_shape *s, uint32_t kind)
{
	uint32_t type = kind & s->CXTYPEMASK;

	return is_chained(s) &&
	       (type == s->CXt_SUB || type == s->CXt_FORMAT || type == s->CXt_EVAL);
}

/*
 * A sub that was just called, or is just left, may not be what its context says yet, or any longer.
 * While it runs it is deeper than it was before.
 */
static bool is_running(const struct walk *w, uint64_t cv, uint32_t old_depth)
{
	const struct perl_shape *s = &w->layout->shape;
	uint32_t sv_flags, flags, depth;
	uint64_t body;

	if (!read_number(w->memory, cv + s->sv_flags, &sv_flags) ||
		(sv_flags & PERL_SVTYPEMASK) != PERL_SVt_PVCV ||
		!memory_pointer(w->memory, cv + s->sv_any, &body) ||
		!read_cv_flags(w->layout, w->memory, body, &flags) ||
		!read_number(w->memory, body + s->xcv_depth, &depth))
		return false;
	return (flags & s->CVf_ISXSUB) || (int32_t)depth > (int32_t)old_depth;
}

static bool add_frame(struct walk *w, const struct perl_frame *frame)
{
	if (w->nr == w->max)
		return false;
	w->frames[w->nr++] = *frame;
	return true;
}

static enum perl_end add_context(struct walk *w, const unsigned char *cx)
{
	const struct perl_shape *s = &w->layout->shape;
	uint32_t type = kind_of(s, cx) & s->CXTYPEMASK;
	bool eval = type == s->CXt_EVAL;
	struct perl_frame frame = {
		.kind = eval ? PERL_EVAL : PERL_SUB,
		.from_c = !pointer_at(cx, eval ? s->cx_eval_retop : s->cx_retop),
		.stack = w->type,
		.cv = eval ? 0 : pointer_at(cx, s->cx_cv),
		.cop = w->cop,
	};

	if (!frame.cop || (!eval && !frame.cv))
		return PERL_INCONSISTENT;
	if (type == s->CXt_SUB && w->nr_contexts == 1 &&
		!is_running(w, frame.cv, number_at(cx, s->cx_olddepth)))
		return PERL_INCONSISTENT;
	if (!add_frame(w, &frame))
		return PERL_CUT;
	w->cop = pointer_at(cx, s->cx_oldcop);
	return PERL_WHOLE;
}

/* Looks at the context that w->at tells, and goes to the one below. */
static enum perl_end take_context(struct walk *w)
{
	const struct perl_shape *s = &w->layout->shape;
	enum perl_end end = PERL_WHOLE;
	unsigned char cx[PERL_CX_MAX];
	int32_t below = w->at - 1;
	uint32_t kind;

	if (w->nr_contexts++ >= PERL_CONTEXTS_MAX ||
		!memory_read(w->memory, w->contexts + (uint64_t)w->at * s->cx_size, cx, s->cx_size))
		return PERL_INCONSISTENT;
	kind = kind_of(s, cx);
	if (is_frame(s, kind))
		end = add_context(w, cx);
	if (is_chain_link(s, kind))
		below = (int32_t)number_at(cx, s->cx_oldsubix);
	if (below < -1 || below >= w->at)
		return PERL_INCONSISTENT;
	w->at = below;
	return end;
}

static enum perl_end add_main(struct walk *w)
{
	struct perl_frame frame = {
		.kind = PERL_MAIN, .from_c = true, .stack = w->type, .cop = w->cop};

	if (!w->cop)
		return PERL_INCONSISTENT;
	return add_frame(w, &frame) ? PERL_WHOLE : PERL_CUT;
}

/* One stack after the other, down to the interpreter's first one. */
static enum perl_end walk_stacks(struct walk *w)
{
	enum perl_end end = PERL_WHOLE;

	for (;;) {
		while (end == PERL_WHOLE && w->at >= 0)
			end = take_context(w);
		if (end != PERL_WHOLE)
			return end;
		if (w->type == PERL_PERLSI_MAIN)
			return add_main(w);
		end = w->below ? enter_stack(w, w->below) : PERL_INCONSISTENT;
	}
}

/* ---- the function in C that is called ---- */

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

/* The sub that SV is, refers to, or has as a glob; what a call may be made of. */
static uint64_t called_sub(const struct walk *w, uint64_t sv)
{
	const struct perl_shape *s = &w->layout->shape;
	uint64_t body, u;
	uint32_t flags;

	if (!sv_type(w->layout, w->memory, sv, &flags, &body) ||
		!memory_pointer(w->memory, sv + s->sv_u, &u))
		return 0;
	if (is_glob(flags))
		return memory_pointer(w->memory, u + s->gp_cv, &sv) ? sv : 0;
	return flags & PERL_SVf_ROK ? u : sv;
}

/* Whether SV is a sub at all, and in C when XSUB. */
static bool is_sub(const struct walk *w, uint64_t cv, bool xsub)
{
	uint32_t flags, cv_flags;
	uint64_t body;

	return sv_type(w->layout, w->memory, cv, &flags, &body) &&
	       (flags & PERL_SVTYPEMASK) == PERL_SVt_PVCV &&
	       read_cv_flags(w->layout, w->memory, body, &cv_flags) &&
	       (!xsub || (cv_flags & w->layout->shape.CVf_ISXSUB));
}

static bool is_call(const struct walk *w, uint64_t interpreter)
{
	uint64_t op;
	uint16_t type;

	return memory_pointer(w->memory, interpreter + w->layout->op, &op) &&
	       memory_read(w->memory, op + w->layout->shape.op_type, &type, sizeof(type)) &&
	       (type & OP_TYPE_MASK) == w->layout->shape.OP_ENTERSUB;
}

/*
 * There is no context for a function in C. But while it runs, the operator is the call, and what
 * was called is the last thing that was taken from the stack of values. When a sub is on top of it,
 * the call may not have begun: then nothing is told.
 */
static void add_xsub(struct walk *w, uint64_t interpreter)
{
	struct perl_frame frame = {
		.kind = PERL_XSUB, .from_c = true, .stack = w->type, .cop = w->cop};
	uint64_t sp, sv[2];

	if (!is_call(w, interpreter) ||
		!memory_pointer(w->memory, interpreter + w->layout->stack_sp, &sp) ||
		!memory_read(w->memory, sp, sv, sizeof(sv)) ||
		is_sub(w, called_sub(w, sv[0]), false))
		return;
	frame.cv = called_sub(w, sv[1]);
	if (is_sub(w, frame.cv, true))
		add_frame(w, &frame);
}

enum perl_end perl_walk(const struct perl_layout *l, const struct memory *memory,
	uint64_t interpreter, struct perl_frame *frames, size_t max, size_t *nr)
{
	struct walk w = {.layout = l, .memory = memory, .frames = frames, .max = max};
	enum perl_end end;
	uint64_t stackinfo;

	*nr = 0;
	if (!memory_pointer(memory, interpreter + l->curcop, &w.cop) ||
		!memory_pointer(memory, interpreter + l->curstackinfo, &stackinfo))
		return PERL_INCONSISTENT;
	if (!w.cop || !stackinfo)
		return PERL_NOT_RUNNING;
	end = enter_stack(&w, stackinfo);
	if (end == PERL_WHOLE) {
		add_xsub(&w, interpreter);
		end = walk_stacks(&w);
	}
	*nr = w.nr;
	return end;
}

enum perl_end perl_walk_thread(const struct perl_layout *l, const struct memory *memory,
	uint64_t thread, struct perl_frame *frames, size_t max, size_t *nr)
{
	uint64_t interpreter;

	*nr = 0;
	if (!way_walk(&l->interpreter, memory, thread, &interpreter))
		return PERL_NOT_RUNNING;
	return perl_walk(l, memory, interpreter, frames, max, nr);
}

/* ---- names ---- */

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
static bool add_sub_name(
	const struct perl_layout *l, const struct memory *m, uint64_t cv, struct strbuf *out)
{
	const struct perl_shape *s = &l->shape;
	uint32_t sv_flags, flags, type;
	uint64_t body, name, stash;

	if (!sv_type(l, m, cv, &sv_flags, &body))
		return false;
	type = sv_flags & PERL_SVTYPEMASK;
	if ((type != PERL_SVt_PVCV && type != PERL_SVt_PVFM) ||
		!read_cv_flags(l, m, body, &flags) || !memory_pointer(m, body + s->xcv_gv, &name) ||
		!memory_pointer(m, body + s->xcv_stash, &stash))
		return false;
	if (!name) {
		strbuf_adds(out, "(unknown)");
		return true;
	}
	if (!(flags & s->CVf_NAMED))
		return add_glob_name(l, m, name, flags & s->CVf_LEXICAL, out);
	return ((flags & s->CVf_LEXICAL) || add_package(l, m, stash, out)) &&
	       add_hek(l, m, name, out);
}

bool perl_frame_name(const struct perl_layout *l, const struct memory *m,
	const struct perl_frame *frame, struct strbuf *name)
{
	size_t len = name->len;

	switch (frame->kind) {
	case PERL_EVAL:
		strbuf_adds(name, "(eval)");
		return true;
	case PERL_MAIN:
		strbuf_adds(name, "main");
		return true;
	default:
		break;
	}
	if (add_sub_name(l, m, frame->cv, name))
		return true;
	cut(name, len);
	return false;
}

/* ---- places ---- */

/* A statement, or the one that stands for what is being compiled (PL_compiling, of type 0). */
static bool is_cop(const struct perl_layout *l, const struct memory *m, uint64_t op)
{
	uint16_t type;

	if (!op || !memory_read(m, op + l->shape.op_type, &type, sizeof(type)))
		return false;
	type &= OP_TYPE_MASK;
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

uint64_t perl_sub_start(const struct perl_layout *l, const struct memory *m, uint64_t cv)
{
	uint32_t sv_flags, flags;
	uint64_t body, start;

	if (!sv_type(l, m, cv, &sv_flags, &body) || !read_cv_flags(l, m, body, &flags) ||
		(flags & l->shape.CVf_ISXSUB) ||
		!memory_pointer(m, body + l->shape.xcv_start, &start) || !is_cop(l, m, start))
		return 0;
	return start;
}
