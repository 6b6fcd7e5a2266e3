// SPDX-License-Identifier: GPL-2.0-or-later
// template: has forty functions of one template, each with a frame of another size.
#include "case.h"

namespace tower
{
template <int N> struct Level {
	static NOINLINE int go(int x)
	{
		volatile int room[1 + N % 7 * 9];

		room[0] = x;
		int y = Level<N - 1>::go(x + 1) + room[0];

		return y;
	}
};

template <> struct Level<0> {
	static NOINLINE int go(int x)
	{
		spin();
		return x;
	}
};
} // namespace tower

int main(int argc, char **argv)
{
	burn_init(argc, argv);
	return tower::Level<40>::go(argc) == 0;
}
