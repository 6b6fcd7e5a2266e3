// SPDX-License-Identifier: GPL-2.0-or-later
// alloc: user stacks at which programs allocate memory, the bytes and the calls. It has no script, as only the built-in engine
// records it.
//
// flametap: event alloc
// flametap: title Bytes allocated
// flametap: unit bytes
// flametap: clock monotonic
// flametap: none the target did not allocate memory
// flametap: keys -
// flametap: counts calls
// flametap: stacks user
// flametap: takes vm label
// flametap: option interval BYTES 1..1073741824 default 131072: Take a sample each BYTES bytes on average; 1 takes all calls
// flametap: option preload LIST yes=1,no=2 default yes: Take the samples of a command inside of it, with a library that it loads first
// flametap: option size N 1..6 default 1: With --alloc: which argument is the size
// flametap: option alloc FUNCTION text: Also a function of the program's own that allocates
// flametap: preload libflametap-heap.so
// flametap: program alloc
