/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The common part of the program served and its library. BUILD distinguishes builds. */
#ifndef TESTS_SYMBOLS_PROGRAMS_SERVED_H
#define TESTS_SYMBOLS_PROGRAMS_SERVED_H

#include <string>
#include <vector>

#ifndef BUILD
#define BUILD 1
#endif

namespace served
{

struct counter {
	std::vector<unsigned> seen;
	std::string name;
	volatile unsigned sum = BUILD;

	void add(unsigned n)
	{
		sum = sum * 31 + n;
	}
};

template <typename Each> inline __attribute__((always_inline)) void repeat(unsigned n, Each each)
{
	for (unsigned i = 0; i < n; i++)
		each(i);
}

void digest(counter &c, unsigned n);

} // namespace served

#endif
