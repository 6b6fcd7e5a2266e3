// SPDX-License-Identifier: GPL-2.0-or-later
// operators N: make() allocates 100 bytes N times with operator new, of which main() deletes every second.
#include <cstdlib>
#include <new>
#include <vector>

__attribute__((noinline)) static void *make()
{
	void *block = ::operator new(100);

	*static_cast<volatile char *>(block) = 1;
	return block;
}

int main(int argc, char **argv)
{
	int number = argc > 1 ? std::atoi(argv[1]) : 0;

	for (int i = 0; i < number; i++) {
		void *block = make();

		if (i % 2)
			::operator delete(block);
	}
	return 0;
}
