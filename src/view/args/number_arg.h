/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VIEW_ARGS_NUMBER_ARG_H
#define VIEW_ARGS_NUMBER_ARG_H

#include <argp.h>
#include <stdint.h>

/* ARG, which --OPTION was given; what is no whole number from MIN to MAX is wrong usage. */
uint64_t number_arg(
	const char *option, const char *arg, uint64_t min, uint64_t max, struct argp_state *state);

#endif
