/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Recordings that bt-fleet, the program with a network, gets from the servers of a fleet. */
#ifndef INPUT_FLEET_PROGRAM_H
#define INPUT_FLEET_PROGRAM_H

#include <stdbool.h>
#include <sys/types.h>

struct recording;
struct strbuf;

/* Returns whether PATH is a URL for bt-fleet. */
bool fleet_program_takes(const char *path);

/*
 * Starts bt-fleet, which writes the recording of URL. Returns the file to read it from, and its
 * process in *PID, or -1 with a message.
 */
int fleet_program_start(const char *url, pid_t *pid, struct strbuf *err);

/* Waits until it has ended. Returns its exit code. */
int fleet_program_end(pid_t pid);

/*
 * Starts bt-fleet, which sends the windows in FOLDER to URL until *PIPE is closed. Its process,
 * *PID, gets no signals of the terminal. Returns -1 with a message on failure.
 */
int fleet_program_send(
	const char *url, const char *folder, pid_t *pid, int *pipe, struct strbuf *err);

/* Stores the names of REC's frames at URL. Returns -1 on failure. */
int fleet_program_store(const char *url, const struct recording *rec, struct strbuf *err);

#endif
