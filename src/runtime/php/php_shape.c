/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "php_shape.h"
#include "lib/util.h"

/* PHP_API numbers, as in "API20220829,NTS". */
static const struct {
	uint32_t api;
	unsigned version;
	struct php_shape shape;
} known[] = {
	{20151012, 700, {1U << 25, 480, 56, 60, 64, 120, 0}},
	{20160303, 701, {1U << 17, 480, 48, 56, 64, 120, 0}},
	{20170718, 702, {1U << 17, 480, 48, 56, 64, 120, 0}},
	{20180731, 703, {1U << 17, 488, 48, 60, 64, 128, 0}},
	{20190902, 704, {1U << 17, 488, 48, 60, 64, 136, 0}},
	{20200930, 800, {1U << 17, 488, 48, 68, 72, 144, 0}},
	{20210902, 801, {1U << 17, 488, 48, 68, 72, 144, 0}},
	{20220829, 802, {1U << 17, 488, 48, 80, 88, 152, 0}},
	{20230831, 803, {1U << 17, 488, 48, 76, 80, 144, 0}},
	{20240924, 804, {1U << 17, 488, 48, 96, 104, 168, 0}},
	{20250925, 805, {1U << 17, 512, 48, 96, 104, 168, 0}},
	{20260924, 806, {1U << 17, 512, 48, 96, 104, 168, 0}},
};

bool php_shape_known(uint32_t api, unsigned *version, struct php_shape *shape)
{
	for (size_t i = 0; i < ARRAY_LEN(known); i++)
		if (known[i].api == api) {
			*version = known[i].version;
			*shape = known[i].shape;
			return true;
		}
	return false;
}
