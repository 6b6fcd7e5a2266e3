/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "perfline.h"
#include "lib/util.h"
#include "stackline.h"

#include <string.h>

/* The unread rest of a line. */
struct rest {
	const char *at, *end;
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static void skip_blanks(struct rest *r)
{
	while (r->at < r->end && is_blank(*r->at))
		r->at++;
}

/* Returns the text up to the next blank. It is empty only at the end. */
static struct rest next_token(struct rest *r)
{
	skip_blanks(r);

	struct rest token = {r->at, r->at};

	while (token.end < r->end && !is_blank(*token.end))
		token.end++;
	r->at = token.end;
	return token;
}

static size_t rest_len(const struct rest *r)
{
	return (size_t)(r->end - r->at);
}

static const char *digits_end(const char *s, const char *end)
{
	while (s < end && is_digit(*s))
		s++;
	return s;
}

/* Whether the word is the number of a CPU: "[003]". */
static bool is_cpu(const struct rest *token)
{
	const char *s = token->at;

	return rest_len(token) > 2 && *s == '[' &&
	       digits_end(s + 1, token->end) == token->end - 1 && token->end[-1] == ']';
}

/* Whether the word is a time: "1239.734347:". */
static bool is_time(const struct rest *token)
{
	const char *dot = digits_end(token->at, token->end);

	if (dot == token->at || dot == token->end || *dot != '.')
		return false;
	return token->end - dot > 2 && digits_end(dot + 1, token->end) == token->end - 1 &&
	       token->end[-1] == ':';
}

/* Reads "34" as TID and "12/34" as PID/TID. A number of -1 is unknown and becomes 0. */
static bool read_ids(const struct rest *token, struct perf_header *h)
{
	uint64_t ids[2] = {0};
	const char *s = token->at;

	for (int i = 0; i < 2; i++) {
		bool negative = s < token->end && *s == '-';
		const char *end = digits_end(s + negative, token->end);

		if (!parse_u64(s + negative, (size_t)(end - s - negative), 10, &ids[i]))
			return false;
		if (negative)
			ids[i] = 0;
		if (end == token->end) {
			h->pid = i ? ids[0] : 0;
			h->tid = ids[i];
			return true;
		}
		if (*end != '/')
			return false;
		s = end + 1;
	}
	return false;
}

/*
 * Skips the time and the fields that -F misc and -F tod add before it. Returns false if there is no
 * time.
 */
static bool read_time(struct rest *r)
{
	struct perf_header ignored;
	struct rest look = *r;

	for (int i = 0; i < 4; i++) {
		struct rest token = next_token(&look);

		if (is_time(&token)) {
			*r = look;
			return true;
		}
		if (read_ids(&token, &ignored))
			break;
	}
	return false;
}

static void read_period(struct rest *r, struct perf_header *h)
{
	struct rest look = *r, token = next_token(&look);

	h->has_period = parse_u64(token.at, rest_len(&token), 10, &h->period);
	if (h->has_period)
		*r = look;
}

static void set_rest(struct perf_header *h, struct rest *r)
{
	skip_blanks(r);
	while (r->end > r->at && is_blank(r->end[-1]))
		r->end--;
	h->rest = r->at;
	h->rest_len = rest_len(r);
}

/* Reads "cycles:u:" or "PERF_RECORD_LOST". Returns false if the next word is neither. */
static bool read_event(struct rest *r, struct perf_header *h)
{
	static const char record[] = "PERF_RECORD_";
	struct rest look = *r, token = next_token(&look);
	size_t len = rest_len(&token);

	h->is_record = len >= sizeof(record) && !memcmp(token.at, record, sizeof(record) - 1);
	if (!h->is_record && (len < 2 || token.end[-1] != ':' || is_time(&token)))
		return false;
	h->event = token.at;
	h->event_len = len - !h->is_record;
	*r = look;
	return true;
}

/* Parses the fields after the task. Returns false if the line is not a header. */
static bool read_after_task(struct rest r, struct perf_header *h)
{
	struct rest look = r, token = next_token(&look);
	bool sure = is_cpu(&token);

	h->event_len = h->rest_len = 0;
	h->has_period = h->is_record = false;
	if (sure)
		r = look;
	sure |= read_time(&r);
	skip_blanks(&r);
	if (r.at == r.end)
		return true;
	read_period(&r, h);
	sure |= read_event(&r, h);
	set_rest(h, &r);
	return sure;
}

/* Skips "VM: 1234 VCPU:001 ", which -F machine_pid and -F vcpu add before the task. */
static void skip_guest(struct rest *r)
{
	struct rest look = *r, token;

	if (!begins_with(r->at, rest_len(r), "VM:"))
		return;
	look.at += 3;
	token = next_token(&look);
	if (!rest_len(&token) || digits_end(token.at, token.end) != token.end)
		return;
	*r = look;
	token = next_token(&look);
	if (begins_with(token.at, rest_len(&token), "VCPU:"))
		*r = look;
	skip_blanks(r);
}

bool perfline_header(struct perf_header *h, const char *line, size_t len)
{
	struct rest r = {line, line + len}, look, token;

	skip_guest(&r);
	look = r;
	token = next_token(&look);
	*h = (struct perf_header){.comm = token.at, .event = line, .rest = line};
	if (is_cpu(&token) || is_time(&token))
		return read_after_task(r, h);
	for (;;) {
		token = next_token(&r);
		if (token.at == r.end)
			return false;
		if (!read_ids(&token, h) || !read_after_task(r, h))
			continue;
		while (token.at > h->comm && is_blank(token.at[-1]))
			token.at--;
		h->comm_len = (size_t)(token.at - h->comm);
		h->has_task = true;
		return true;
	}
}

/* Returns the start of "+0xOFF" at the end of the text, or END if there is none. */
static const char *find_offset(const char *s, const char *end)
{
	const char *plus = memrchr(s, '+', (size_t)(end - s));
	uint64_t ignored;

	if (!plus || end - plus < 4 || plus[1] != '0' || plus[2] != 'x')
		return end;
	return stackline_address(plus + 1, end, &ignored) == (size_t)(end - plus - 1) ? plus : end;
}

/* Returns the "(" after the first "+0xOFF ", or NULL if there is none. */
static const char *module_after_offset(const char *s, const char *end)
{
	while ((s = memmem(s, (size_t)(end - s), "+0x", 3))) {
		uint64_t ignored;
		const char *behind = s + 1 + stackline_address(s + 1, end, &ignored);

		if (end - behind > 2 && behind[0] == ' ' && behind[1] == '(')
			return behind + 1;
		s += 3;
	}
	return NULL;
}

/* Returns the "(" that matches the ")" at the end, if it follows a blank, otherwise NULL. */
static const char *module_by_balance(const char *s, const char *end)
{
	int depth = 0;

	for (const char *c = end; c > s;) {
		c--;
		if (*c == ')')
			depth++;
		else if (*c == '(' && !--depth)
			return c == s || c[-1] == ' ' ? c : NULL;
	}
	return NULL;
}

/* Returns the "(" of "(MODULE)" at the end. Names and paths may contain parentheses and blanks. */
static const char *find_module(const char *s, const char *end)
{
	static const char unknown[] = "[unknown] (";
	size_t n = sizeof(unknown) - 1;

	if (end == s || end[-1] != ')')
		return NULL;
	if ((size_t)(end - s) > n && !memcmp(s, unknown, n))
		return s + n - 1;
	const char *open = module_after_offset(s, end);

	return open ? open : module_by_balance(s, end);
}

static bool is_text(const char *s, size_t len, const char *text)
{
	return len == strlen(text) && !memcmp(s, text, len);
}

static void set_module(struct perf_frame *f, const char *s, const char *end)
{
	size_t len = (size_t)(find_offset(s, end) - s);

	f->inlined = is_text(s, len, "inlined");
	if (f->inlined || is_text(s, len, "[unknown]"))
		return;
	f->module = s;
	f->module_len = len;
}

bool perfline_frame(struct perf_frame *f, const char *text, size_t len)
{
	const char *end = text + len;

	*f = (struct perf_frame){0};
	if (len > 1 && text[1] == 'x')
		return false;
	size_t n = stackline_address(text, end, &f->address);

	if (!n || (n < len && text[n] != ' '))
		return false;
	struct rest r = {text + n, end};

	skip_blanks(&r);
	const char *open = find_module(r.at, r.end);

	if (open) {
		set_module(f, open + 1, end - 1);
		r.end = open;
		while (r.end > r.at && is_blank(r.end[-1]))
			r.end--;
	}
	r.end = find_offset(r.at, r.end);
	if (!is_text(r.at, rest_len(&r), "[unknown]")) {
		f->name = r.at;
		f->name_len = rest_len(&r);
	}
	return true;
}

static bool are_modifiers(const char *s, const char *end)
{
	for (; s < end; s++)
		if (!*s || !strchr("ukhGHpPSDIeWbR", *s))
			return false;
	return true;
}

/* Parses "PMU/NAME/MODIFIERS". Returns false if NAME is a list of terms. */
static bool read_pmu_event(struct perf_event *e, const char *event, const char *end)
{
	const char *name = memchr(event, '/', (size_t)(end - event)), *slash;

	if (!name)
		return false;
	name++;
	slash = memchr(name, '/', (size_t)(end - name));
	if (!slash || slash == name || memchr(name, '=', (size_t)(slash - name)) ||
		memchr(name, ',', (size_t)(slash - name)))
		return false;
	e->modifiers = slash + 1 + (slash + 1 < end && slash[1] == ':');
	if (!are_modifiers(e->modifiers, end))
		return false;
	e->name = name;
	e->name_len = (size_t)(slash - name);
	e->modifiers_len = (size_t)(end - e->modifiers);
	e->has_pmu = true;
	return true;
}

void perfline_event(struct perf_event *e, const char *event, size_t len)
{
	const char *end = event + len, *colon = memrchr(event, ':', len);

	*e = (struct perf_event){.name = event, .name_len = len, .modifiers = end};
	if (read_pmu_event(e, event, end))
		return;
	e->modifiers = end;
	if (!colon || colon == event || !are_modifiers(colon + 1, end))
		return;
	e->name_len = (size_t)(colon - event);
	e->modifiers = colon + 1;
	e->modifiers_len = (size_t)(end - e->modifiers);
}

bool perfline_same_event(const struct perf_event *a, const struct perf_event *b)
{
	return a->name_len == b->name_len && !memcmp(a->name, b->name, a->name_len) &&
	       a->modifiers_len == b->modifiers_len &&
	       !memcmp(a->modifiers, b->modifiers, a->modifiers_len);
}
