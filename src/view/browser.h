/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shows files in the user's browser. */
#ifndef VIEW_BROWSER_H
#define VIEW_BROWSER_H

/*
 * Starts the first program of $BROWSER that exists, or xdg-open if there is a display, and does not
 * wait for it. $BROWSER is a list of commands separated by colons, in which %s is the file. A
 * message on stderr says which program was started, or that there is none and what to do.
 */
void browser_show(const char *path);

#endif
