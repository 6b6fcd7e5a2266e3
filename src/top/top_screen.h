/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Draws on the terminal, and reads its keys. Nothing else here knows of ncurses. */
#ifndef TOP_TOP_SCREEN_H
#define TOP_TOP_SCREEN_H

#include "top.h"
#include "top_load.h"

struct strbuf;
struct termios;

/* Takes the terminal. Returns -1 with ERR if its type is not known. */
int top_screen_open(struct strbuf *err);

/* Leaves the terminal as it was. */
void top_screen_close(void);

/* Restores TERMINAL after the process that had taken it was killed. */
void top_screen_restore(const struct termios *terminal);

/* Draws T with what is said of the recording. STATE is said, too, unless it is NULL. */
void top_screen_draw(struct top *t, const struct top_load *l, const char *state);

/* Sets *KEY to the next key that was pressed, as for top_press(). Returns false if there is none.
 */
bool top_screen_key(uint32_t *key);

#endif
