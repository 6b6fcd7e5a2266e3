/* SPDX-License-Identifier: GPL-2.0-or-later */
/* alloca: has frames whose size is only known at run time. */
#include "case.h"

#include <alloca.h>
#include <string.h>

static NOINLINE void second(int size)
{
	char *text = alloca((size_t)size);

	memset(text, 'b', (size_t)size);
	case_keep(text);
	spin();
	case_keep(text);
}

static NOINLINE void first(int size)
{
	char text[size];

	memset(text, 'a', (size_t)size);
	case_keep(text);
	for (int i = 0; i < 3; i++)
		case_keep(alloca((size_t)(size + i)));
	second(size + 1000);
	case_keep(text);
}

int main(int argc, char **argv)
{
	burn_init(argc, argv);
	first(100 + argc * 7);
	return 0;
}
