/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Input of programs that need a recording: what other formats have is not enough for them. */
#ifndef VIEW_RECORDING_FILE_H
#define VIEW_RECORDING_FILE_H

struct recording;

/*
 * Reads FILE, "-" for stdin, which may be compressed, into REC, which was just initialised. What is
 * wrong is said on stderr. 0: all of it was read; 1: a part, the file is damaged; -1: nothing.
 */
int recording_file_read(struct recording *rec, const char *file);

#endif
