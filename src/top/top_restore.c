/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/util.h"
#include "top_screen.h"

#include <curses.h>
#include <term.h> /* its macros have the names of common variables */
#include <termios.h>
#include <unistd.h>

static int put_byte(int c)
{
	char byte = (char)c;

	return write(STDOUT_FILENO, &byte, 1) == 1 ? c : EOF;
}

void top_screen_restore(const struct termios *terminal)
{
	static const char *const strings[] = {"rmkx", "sgr0", "cnorm", "rmcup"};
	int error;

	tcsetattr(STDIN_FILENO, TCSANOW, terminal);
	if (setupterm(NULL, STDOUT_FILENO, &error) == ERR)
		return;
	for (size_t i = 0; i < ARRAY_LEN(strings); i++) {
		const char *s = tigetstr((char *)(uintptr_t)strings[i]);

		if (s && s != (const char *)-1)
			tputs(s, 1, put_byte);
	}
}
