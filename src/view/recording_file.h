/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Input of programs that need a recording, because other formats do not contain enough for them. */
#ifndef VIEW_RECORDING_FILE_H
#define VIEW_RECORDING_FILE_H

struct recording;

/*
 * Reads FILE, or stdin if it is "-", which may be compressed, into REC, which was just initialised.
 * Prints problems on stderr. Returns 0 if all of it was read, 1 if a part was read because the file
 * is damaged, or -1 if nothing was read.
 */
int recording_file_read(struct recording *rec, const char *file);

#endif
