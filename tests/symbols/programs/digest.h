/* SPDX-License-Identifier: GPL-2.0-or-later */
/* digest<N>() is 10 KB of unrolled loops over inlined calls, which compiles fast. */
#ifndef TESTS_SYMBOLS_PROGRAMS_DIGEST_H
#define TESTS_SYMBOLS_PROGRAMS_DIGEST_H

#include <string>
#include <vector>

namespace big
{

template <int N> class mixer
{
      public:
	explicit mixer(unsigned long state) : state_(state)
	{
	}
	void mix(unsigned long x)
	{
		state_ = (rotate(N % 63 + 1) ^ x) * (2 * N + 1);
	}
	void mix(unsigned char c)
	{
		if (c == N % 256)
			mix(c + 1UL);
		else
			state_ += c;
	}
	unsigned long state() const
	{
		return state_;
	}

      private:
	unsigned long rotate(int by) const
	{
		return state_ << by | state_ >> (64 - by);
	}

	unsigned long state_;
};

template <int N> long digest(const std::vector<unsigned long> &numbers, const std::string &text)
{
	mixer<N> m(N);

#pragma GCC unroll 32
	for (unsigned long x : numbers)
		m.mix(x);
#pragma GCC unroll 32
	for (unsigned char c : text)
		m.mix(c);
#pragma GCC unroll 32
	for (unsigned long x : numbers) {
		mixer<N + 1> other(x);

		other.mix(m.state());
		other.mix((unsigned char)m.state());
		m.mix(other.state());
	}
	return (long)m.state();
}

} // namespace big

#endif
