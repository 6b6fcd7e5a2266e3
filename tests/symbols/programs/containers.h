/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * use<N>() uses containers and algorithms with types of its own: 25 KB of code with many inlined
 * calls, cold parts and instances that the linker drops.
 */
#ifndef TESTS_SYMBOLS_PROGRAMS_CONTAINERS_H
#define TESTS_SYMBOLS_PROGRAMS_CONTAINERS_H

#include <algorithm>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace big
{

template <int N> struct key {
	long a;
	std::string b;
	bool operator<(const key &o) const
	{
		return a != o.a ? a < o.a : b < o.b;
	}
	bool operator==(const key &o) const
	{
		return a == o.a && b == o.b;
	}
};

template <int N> struct hash {
	size_t operator()(const key<N> &k) const
	{
		return std::hash<std::string>()(k.b) * 31 + (size_t)k.a + N;
	}
};

namespace
{

template <int N> class shape
{
      public:
	explicit shape(long size) : size_(size)
	{
	}
	virtual ~shape()
	{
	}
	virtual long area() const
	{
		return size_ * (N + 1);
	}

      protected:
	long size_;
};

template <int N> class named_shape : public shape<N>
{
      public:
	named_shape(long size, std::string name) : shape<N>(size), name_(std::move(name))
	{
	}
	long area() const override
	{
		return shape<N>::area() + (long)name_.size();
	}

      private:
	std::string name_;
};

} // namespace

template <int N> std::vector<key<N>> make_keys(long n)
{
	std::vector<key<N>> keys;

	for (long i = 0; i < n; i++)
		keys.push_back({i * 7919 % (N + 11), std::to_string(i) + "/" + std::to_string(N)});
	std::sort(keys.begin(), keys.end());
	keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
	std::stable_sort(keys.begin(), keys.end(),
		[](const key<N> &x, const key<N> &y) { return x.b.size() < y.b.size(); });
	std::partial_sort(keys.begin(), keys.begin() + (long)keys.size() / 2, keys.end(),
		[](const key<N> &x, const key<N> &y) { return x.b > y.b; });
	return keys;
}

template <int N> long count_keys(const std::vector<key<N>> &keys)
{
	std::map<key<N>, std::vector<long>> by_key;
	std::unordered_map<key<N>, std::deque<std::string>, hash<N>> by_hash;
	std::set<key<N>, std::greater<std::string>> *none = nullptr;
	std::list<key<N>> list(keys.begin(), keys.end());
	long sum = none != nullptr;

	list.sort();
	list.remove_if([](const key<N> &k) { return k.a % 3 == 0; });
	for (const auto &k : keys) {
		by_key[k].push_back(k.a);
		by_hash[k].push_front(k.b);
		by_hash[k].push_back(k.b + "!");
	}
	for (auto &[k, v] : by_key) {
		std::make_heap(v.begin(), v.end());
		sum += std::accumulate(v.begin(), v.end(), k.a);
	}
	for (const auto &[k, v] : by_hash)
		for (const auto &s : v)
			sum += (long)s.size() + k.a;
	by_key.erase(by_key.begin(), by_key.lower_bound(keys[keys.size() / 2]));
	return sum + (long)by_key.size() + (long)list.size();
}

template <int N> long use(long n)
{
	std::vector<std::unique_ptr<shape<N>>> shapes;
	std::function<long(long)> f = [n](long x) { return x * n + N; };
	auto keys = make_keys<N>(n);

	for (const auto &k : keys)
		if (k.a % 2)
			shapes.push_back(std::make_unique<shape<N>>(k.a));
		else
			shapes.push_back(std::make_unique<named_shape<N>>(k.a, k.b));
	return count_keys<N>(keys) +
	       std::accumulate(shapes.begin(), shapes.end(), f(n),
		       [&f](long sum, const auto &s) { return sum + f(s->area()); });
}

} // namespace big

#endif
