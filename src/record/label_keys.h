/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which labels the rows of a recording can have, as far as this is known before it starts: labels
 * that the script declares, labels of the interpreters and of the source that the options ask for,
 * and labels of processes.
 */
#ifndef RECORD_LABEL_KEYS_H
#define RECORD_LABEL_KEYS_H

struct options;
struct strbuf;
struct tool;

/*
 * Ends the program with a message if --by or --where name a label that no row can have. Does
 * nothing if the script does not declare its labels.
 */
void label_keys_check(const struct options *o);

/* Appends the keys that the script declares, each followed by ", ". */
void label_keys_list(const struct tool *tool, struct strbuf *out);

#endif
