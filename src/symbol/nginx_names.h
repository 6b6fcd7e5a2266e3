/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The modules of nginx whose static functions are in a file, which is nginx itself or a module that
 * it loads. The list of modules in the file leads to some functions, through the relocations that
 * the dynamic linker will apply. These functions refer to other ones, as a static function is only
 * called from its own source file.
 */
#ifndef SYMBOL_NGINX_NAMES_H
#define SYMBOL_NGINX_NAMES_H

#include <stdbool.h>
#include <stdint.h>

struct elffile;
struct nginx_names;

/*
 * HAS_SYMBOL returns whether a function with a symbol begins at a link address. Such functions
 * belong to no module. Returns NULL if the file has no modules. ELF must outlive the result.
 */
struct nginx_names *nginx_names_new(const struct elffile *elf,
	bool (*has_symbol)(void *context, uint64_t address), void *context);
void nginx_names_free(struct nginx_names *names);

/*
 * Returns the module whose function begins at the link address START, such as
 * "ngx_http_gzip_filter_module", valid until the next call. Returns NULL if it is not known, as
 * between the known functions of two modules.
 */
const char *nginx_names_find(struct nginx_names *names, uint64_t start);

#endif
