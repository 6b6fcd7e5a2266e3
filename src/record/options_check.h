/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RECORD_OPTIONS_CHECK_H
#define RECORD_OPTIONS_CHECK_H

struct options;

/*
 * Checks options that were parsed against each other, and completes them and the request. Wrong
 * usage ends the program with a message.
 */
void options_check(struct options *o);

#endif
