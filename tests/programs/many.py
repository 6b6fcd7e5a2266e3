# SPDX-License-Identifier: GPL-2.0-or-later
"""Prints a C program with the functions many_0 to many_999. "many [wait] N" calls each of them N times with its number; with wait, after
SIGUSR1. tail_1 jumps to tail_2. The kernel does not probe the first instruction of many_locked, and many_chosen is an IFUNC."""
print('''#include "await_signal.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static volatile int sum;
extern void many_locked(volatile int *);
__asm__(".text\\n.type many_locked, @function\\n.globl many_locked\\nmany_locked: lock incl (%rdi)\\nret\\n.size many_locked, . - many_locked");
static void first(void) { sum++; }
static void *choose(void) { return (void *)first; }
void many_chosen(void) __attribute__((ifunc("choose")));
__attribute__((noinline)) void tail_2(int n) { sum += n; __asm__ volatile(""); }
__attribute__((noinline)) void tail_1(int n) { tail_2(n + 1); }
''')
for i in range(1000):
    print(f'__attribute__((noinline)) void many_{i}(int n) {{ sum += n; __asm__ volatile(""); }}')
print('''int main(int argc, char **argv)
{
	if (argc > 2 && !strcmp(argv[1], "wait")) {
		await_signal();
		argv++;
	}
	for (int n = argc > 1 ? atoi(argv[1]) : 0; n; n--) {
		many_locked(&sum);
		many_chosen();
		tail_1(n);''')
for i in range(1000):
    print(f'\t\tmany_{i}({i});')
print('\t}\n\treturn 0;\n}')
