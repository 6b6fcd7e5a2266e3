/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Common functions of the tests of the engine's maps, which are maps of the real kernel. */
#ifndef TESTS_UNIT_BPF_TEST_H
#define TESTS_UNIT_BPF_TEST_H

#include "engine/bpf/kern/shared.h"
#include "lib/util.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

/* Makes a hash of MAX entries; skips the test if this process may not make one. */
static inline int make_hash(uint32_t key_size, uint32_t value_size, uint32_t max)
{
	int fd = bpf_map_create(BPF_MAP_TYPE_HASH, "test", key_size, value_size, max, NULL);

	if (fd < 0) {
		printf("# skipped, no BPF maps here: %s\n", strerror(errno));
		skip();
	}
	return fd;
}

/* Makes an array of maps like INNER. */
static inline int make_outer(int inner, uint32_t max)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .inner_map_fd = (uint32_t)inner);
	int fd = bpf_map_create(BPF_MAP_TYPE_ARRAY_OF_MAPS, "test", 4, 4, max, &opts);

	assert_true(fd >= 0);
	return fd;
}

static inline void put(int map, const void *key, const void *value)
{
	assert_int_equal(bpf_map_update_elem(map, key, value, BPF_ANY), 0);
}

#endif
