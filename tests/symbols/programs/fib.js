// SPDX-License-Identifier: GPL-2.0-or-later
// fib.js: JavaScript that node compiles once it is hot: numbers() calls fib() without end.
function fib(n) {
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

function numbers() {
	for (let n = 20; ; n = 20 + (n + 1) % 5)
		fib(n);
}

console.log('spinning');
numbers();
