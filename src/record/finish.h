/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What becomes of a recording: names, account, and outputs. */
#ifndef RECORD_FINISH_H
#define RECORD_FINISH_H

struct open_files;
struct options;
struct recording;

/* Ends the program with a message if an output cannot be written. */
void finish_check_outputs(const struct options *o);

/*
 * Gives names to the addresses of REC, prints its account and writes the outputs. FILES have no
 * usable path. Returns the exit code: EXIT_PARTIAL if REC is empty or lacks labels, or if too few
 * frames have names.
 */
int finish_recording(struct options *o, struct recording *rec, const struct open_files *files);

#endif
