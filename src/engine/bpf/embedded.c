/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "embedded.h"
#include "lib/util.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <zstd.h>

struct bpf_object *embedded_open(const struct embedded *e, const char *kernel_types)
{
	/* the kernel shows this name's first letters in names of maps */
	const struct bpf_object_open_opts opts = {
		.sz = sizeof(opts), .object_name = "flametap", .btf_custom_path = kernel_types};
	unsigned long long size = ZSTD_getFrameContentSize(e->bytes, e->size);
	struct bpf_object *object = NULL;

	errno = EINVAL;
	if (size == ZSTD_CONTENTSIZE_UNKNOWN || size == ZSTD_CONTENTSIZE_ERROR)
		return NULL;
	void *elf = xmalloc(size);

	/* libbpf keeps nothing of the file's memory */
	if (ZSTD_decompress(elf, size, e->bytes, e->size) == size)
		object = bpf_object__open_mem(elf, size, &opts);
	free(elf);
	return object;
}
