/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The library of plt.c. */
unsigned tiny(unsigned x);

unsigned tiny(unsigned x)
{
	return x + 1;
}
