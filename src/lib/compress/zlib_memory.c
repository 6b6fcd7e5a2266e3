/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "zlib_memory.h"
#include "lib/util.h"

#include <stdlib.h>

void *zlib_allocate(void *opaque, unsigned n, unsigned size)
{
	(void)opaque;
	return xcalloc(n, size);
}

void zlib_release(void *opaque, void *p)
{
	(void)opaque;
	free(p);
}
