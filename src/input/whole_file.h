/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef INPUT_WHOLE_FILE_H
#define INPUT_WHOLE_FILE_H

struct lines;
struct strbuf;

/*
 * Reads all bytes of a format that can be read only as a whole. Returns -1 and a message in ERR if
 * reading fails, or if the file is larger than 1 GiB or than a fourth of the memory that this
 * process may use.
 */
int whole_file_read(struct lines *lines, struct strbuf *out, struct strbuf *err);

#endif
