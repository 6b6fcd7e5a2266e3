/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Common functions of the tests of rules: rules from texts, and frames. */
#ifndef TESTS_UNIT_RULES_TEST_H
#define TESTS_UNIT_RULES_TEST_H

#include "lib/strbuf.h"
#include "lib/util.h"
#include "view/report/entries.h"
#include "view/rules.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* Adds the LEN bytes of TEXT as a file; its name in a message is replaced by FILE. */
static inline int add(struct rules *rules, const char *text, size_t len, struct strbuf *err)
{
	char path[] = "/tmp/flametap-rules.XXXXXX";
	int fd = mkstemp(path);
	struct strbuf said = STRBUF_INIT;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, len), (ssize_t)len);
	int ret = rules_add_file(rules, path, &said);
	const char *name = strstr(said.buf, path);

	if (name) {
		strbuf_add(err, said.buf, (size_t)(name - said.buf));
		strbuf_addf(err, "FILE%s", name + strlen(path));
	}
	strbuf_release(&said);
	close(fd);
	unlink(path);
	return ret;
}

static inline struct rules *rules_of(const char *text)
{
	struct rules *rules = rules_new();
	struct strbuf err = STRBUF_INIT;

	assert_int_equal(add(rules, text, strlen(text), &err), 0);
	strbuf_release(&err);
	return rules;
}

static inline uint32_t frame(
	struct profile *p, enum frame_kind kind, const char *name, const char *module)
{
	return profile_frame(p, kind, name, strlen(name), module, module ? strlen(module) : 0);
}

#endif
