/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shows files in the user's browser. */
#ifndef VIEW_BROWSER_H
#define VIEW_BROWSER_H

/*
 * Starts the first program of $BROWSER (commands separated by colons; %s is the file) that there
 * is, or with a display xdg-open, and does not wait for it. A message on stderr says which one, or
 * that there is none and what to do.
 */
void browser_show(const char *path);

#endif
