/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What stap remembers of headers that it could not compile. To find the kernel's tracepoints, stap
 * compiles each header that declares some, and keeps the result in its cache as
 * cache/XX/tracequery_HASH_SIZE.o: an empty file if the compiler failed, which it also does if it
 * is killed (get_tracequery_modules() in stap's tapsets.cxx). All later runs of stap then find no
 * tracepoint of that header: "while resolving probe point: identifier 'kernel'".
 */
#ifndef ENGINE_STAP_STAP_CACHE_H
#define ENGINE_STAP_STAP_CACHE_H

#include <stddef.h>
#include <time.h>

/*
 * Removes the empty results that are older than BEFORE from stap's cache, which is in
 * $SYSTEMTAP_DIR or ~/.systemtap, so that stap compiles these headers again. Returns how many it
 * has removed.
 */
size_t stap_cache_forget_failures(time_t before);

#endif
