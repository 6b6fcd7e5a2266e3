/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The languages whose own frames and stacks are told apart. Each is one row here and a row of
 * VM_LIST (runtime/vm_list.h), and has its folder in runtime/. Everything that frames, files and
 * pictures say about a language comes from its row.
 */
#ifndef MODEL_LANGUAGE_H
#define MODEL_LANGUAGE_H

#include <stddef.h>

/*
 * ROW(ID, name in options, files and notes, name in messages, letter in pictures and in the first
 * argument of scripts, other than u, k, i, j, w, t, n, d and r; six shades of its colour in
 * pictures; six shades on a dark ground). The Makefile reads the letters and colours; the level
 * browser of the tests holds them against the other kinds' colours.
 */
/* clang-format off */
#define LANGUAGE_LIST(ROW) \
	ROW(PERL, "perl", "Perl", 'p', "#a27ea1 #ad7da0 #ad81a3 #ac85a5 #b285ac #b289ae", "#8b58a7 #9b4fa6 #9653a4 #9156a1 #9451ab #9054a8") \
	ROW(LUA, "lua", "Lua", 'l', "#bce8ea #b8ebf3 #beedf4 #c3eff4 #bff4f8 #c5f6f9", "#45747d #3f7486 #437482 #46747f #3d7482 #417480") \
	ROW(PYTHON, "python", "Python", 'y', "#ecd93a #ecdc30 #efdf38 #f1e240 #f3e02f #f6e446", "#35377f #38398a #3a3c88 #3c3f86 #3b3f90 #3e428e") \
	ROW(RUBY, "ruby", "Ruby", 'b', "#e27dcb #e57bc7 #e77dd0 #e982d3 #eb7ac8 #ed82ca", "#6b0a3c #6e0838 #700d3f #720f41 #74093b #761040") \
	ROW(PHP, "php", "PHP", 'z', "#c9c2f2 #c5bdf4 #c8c1f6 #cbc5f7 #c7bff8 #cdc8fa", "#2e10c6 #3510c8 #290fc4 #3a10ca #270fc3 #3310c8")
/* clang-format on */

#define LANGUAGE_ENUM(ID, ...) LANGUAGE_##ID,
enum { LANGUAGE_LIST(LANGUAGE_ENUM) NR_LANGUAGES };
#undef LANGUAGE_ENUM

struct language {
	const char *name, *title;
	const char *module; /* "[perl]", in place of the file of its frames */
	char letter;
};

extern const struct language languages[NR_LANGUAGES];

/* Returns the language whose module is MODULE, of LEN bytes, or NULL if there is none. */
const struct language *language_of_module(const char *module, size_t len);

#endif
