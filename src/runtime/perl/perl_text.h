/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the name and the location of a Perl frame from the target's memory while the thread does
 * not run. The same code runs in the kernel (BPF) and in user space. Include it after perl_step.h
 * and also define VM_READ_STRING, see vm_walk.h.
 */
#ifndef RUNTIME_PERL_PERL_TEXT_H
#define RUNTIME_PERL_PERL_TEXT_H

#include "perl_frame.h"
#include "perl_layout.h"

enum { PERL_KEY_MAX = 4096, PERL_ANON_LEN = 8, PERL_WAS_UTF8 = 2 }; /* HVhek_WASUTF8 */

/* Reads the hash key at HEK. */
static inline int perl_read_key(
	struct perl_walk *w, const struct perl_shape *s, uint64_t hek, struct perl_text *text)
{
	uint8_t behind[2]; /* NUL, flags */
	uint32_t len;

	if (!hek || VM_READ(w, &len, sizeof(len), hek + s->hek_len) || !len || len > PERL_KEY_MAX ||
		VM_READ(w, behind, 2, hek + s->hek_key + len) || behind[0])
		return -1;
	text->cut = len > PERL_TEXT_MAX;
	if (text->cut)
		len = PERL_TEXT_MAX;
	text->len = len;
	text->latin = behind[1] & PERL_WAS_UTF8;
	return VM_READ(w, text->bytes, len, hek + s->hek_key);
}

/*
 * Finds the struct xpvhv_aux of a hash. Since 5.36 it is in the hash's body, in earlier versions
 * behind its array.
 */
static inline int perl_find_aux(
	struct perl_walk *w, const struct perl_shape *s, uint64_t hv, uint64_t body, uint64_t *aux)
{
	uint64_t array, max;

	*aux = body + s->xhv_aux;
	if (s->xhv_aux != PERL_NONE)
		return 0;
	if (perl_read_pointer(w, &array, hv + s->sv_u) ||
		perl_read_pointer(w, &max, body + s->xhv_max))
		return -1;
	*aux = array + (max + 1) * sizeof(uint64_t);
	return 0;
}

/* Finds the key that is the name of the stash HV, or 0 if it has no name. */
static inline int perl_find_stash_key(
	struct perl_walk *w, const struct perl_shape *s, uint64_t hv, uint64_t *hek)
{
	uint32_t flags, count = 0;
	uint64_t body, aux;

	*hek = 0;
	if (!hv)
		return 0;
	if (perl_read_sv(w, s, hv, &flags, &body) || (flags & PERL_SVTYPEMASK) != PERL_SVt_PVHV)
		return -1;
	if (!(flags & PERL_SVf_OOK))
		return 0;
	if (perl_find_aux(w, s, hv, body, &aux) || perl_read_pointer(w, hek, aux + s->aux_name))
		return -1;
	if (*hek && s->aux_name_count != PERL_NONE &&
		VM_READ(w, &count, sizeof(count), aux + s->aux_name_count))
		return -1;
	return count ? perl_read_pointer(w, hek, *hek) : 0; /* the first of several names */
}

static inline int perl_read_package(
	struct perl_walk *w, const struct perl_shape *s, uint64_t stash, struct perl_texts *t)
{
	uint64_t hek;

	t->has_package = true;
	if (perl_find_stash_key(w, s, stash, &hek))
		return -1;
	return hek ? perl_read_key(w, s, hek, &t->package) : 0;
}

/* Finds the body of the glob GV. Returns -1 if GV is not a glob. */
static inline int perl_read_glob(
	struct perl_walk *w, const struct perl_shape *s, uint64_t gv, uint64_t *body)
{
	uint32_t flags, type;

	if (perl_read_sv(w, s, gv, &flags, body))
		return -1;
	type = flags & PERL_SVTYPEMASK;
	return (type == PERL_SVt_PVGV || type == PERL_SVt_PVLV) && flags & PERL_SVpgv_GP ? 0 : -1;
}

/* Finds the body of the glob that names GV: GV itself, or the glob that GV was copied from. */
static inline int perl_read_effective_glob(
	struct perl_walk *w, const struct perl_shape *s, uint64_t gv, uint64_t *body)
{
	uint64_t gp, egv, egv_body;

	if (perl_read_glob(w, s, gv, body) || perl_read_pointer(w, &gp, gv + s->sv_u))
		return -1;
	if (!gp)
		return 0;
	if (perl_read_pointer(w, &egv, gp + s->gp_egv))
		return -1;
	if (egv && egv != gv && !perl_read_glob(w, s, egv, &egv_body))
		*body = egv_body;
	return 0;
}

/* Reads the name of the sub of F, as Perl_cv_name() does. */
static inline int perl_read_sub(struct perl_walk *w, const struct perl_shape *s,
	const struct vm_frame *f, struct perl_texts *t)
{
	uint64_t name = f->what & VM_ADDRESS, stash = f->with, body;

	if (!name)
		return 0;
	if (!(f->what & PERL_BY_KEY) && (perl_read_effective_glob(w, s, name, &body) ||
						perl_read_pointer(w, &stash, body + s->xgv_stash) ||
						perl_read_pointer(w, &name, body + s->xgv_namehek)))
		return -1;
	if (!(f->what & PERL_LEXICAL) && perl_read_package(w, s, stash, t))
		return -1;
	return perl_read_key(w, s, name, &t->name);
}

/* Reads the name of FILE. In a build without threads, FILE is a glob named "_<" and the file. */
static inline int perl_read_file(
	struct perl_walk *w, const struct perl_layout *l, uint64_t file, struct perl_text *text)
{
	uint64_t body, hek;
	int len;

	if (!l->threads)
		return perl_read_glob(w, &l->shape, file, &body) ||
				       perl_read_pointer(w, &hek, body + l->shape.xgv_namehek)
			       ? -1
			       : perl_read_key(w, &l->shape, hek, text);
	len = VM_READ_STRING(w, text->bytes, PERL_TEXT_MAX + 2, file);
	if (len < 0)
		return -1;
	text->cut = len > PERL_TEXT_MAX;
	text->len = (uint16_t)(text->cut ? PERL_TEXT_MAX : len);
	text->latin = false;
	return 0;
}

/* Reads the place of the statement COP. During compilation COP may be PL_compiling, of type 0. */
static inline int perl_read_place(struct perl_walk *w, const struct perl_layout *l, uint64_t cop,
	struct perl_text *file, uint32_t *line)
{
	const struct perl_shape *s = &l->shape;
	uint64_t name;
	uint32_t type;

	cop &= VM_ADDRESS;
	if (!cop || perl_read(w, s->cop_file + 8, cop))
		return -1;
	type = perl_bits_at(w, s->op_type, 2) & PERL_OP_TYPE;
	*line = perl_number_at(w, s->cop_line);
	name = perl_pointer_at(w, s->cop_file);
	if ((type && type != s->OP_NEXTSTATE && type != s->OP_DBSTATE) || !name)
		return -1;
	if (*line == UINT32_MAX)
		*line = 0;
	return perl_read_file(w, l, name, file);
}

/* Reads the texts of F. The flags in T tell which of them could be read. */
static inline void perl_read_texts(struct perl_walk *w, const struct perl_layout *l,
	const struct vm_frame *f, struct perl_texts *t)
{
	enum perl_type kind = perl_frame_type(f->what);
	bool sub = kind == PERL_SUB || kind == PERL_XSUB;

	t->has_package = t->begins = false;
	t->in_globs = !l->threads;
	t->package.len = t->name.len = 0;
	t->named = !sub || !perl_read_sub(w, &l->shape, f, t);
	t->placed = !perl_read_place(w, l, f->at, &t->file, &t->line);
	/* all subs without a name are called __ANON__ */
	if (sub && !(f->what & PERL_BY_KEY) && t->name.len == PERL_ANON_LEN)
		t->begins = !perl_read_place(w, l, f->with, &t->start_file, &t->start_line);
}

#endif
