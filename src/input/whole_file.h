/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef INPUT_WHOLE_FILE_H
#define INPUT_WHOLE_FILE_H

struct lines;
struct strbuf;

/*
 * All bytes of a format that can be read only as a whole. -1 and ERR: reading failed, or it is
 * larger than 1 GiB, or than a fourth of the memory that this process may use.
 */
int whole_file_read(struct lines *lines, struct strbuf *out, struct strbuf *err);

#endif
