// SPDX-License-Identifier: GPL-2.0-or-later
// leaks: user stacks at which programs allocated the memory that they have not freed when the recording ends, its bytes and its
// blocks. It has no script, as only the built-in engine records it.
//
// flametap: event leaks
// flametap: title Bytes not freed
// flametap: unit bytes
// flametap: clock monotonic
// flametap: none the target holds no block that was taken as a sample
// flametap: keys age
// flametap: counts blocks
// flametap: stacks user
// flametap: takes vm label
// flametap: option interval BYTES 1..1073741824 default 131072: Take a sample each BYTES bytes on average; 1 takes all calls
// flametap: option preload LIST yes=1,no=2 default yes: Take the samples of a command inside of it, with a library that it loads first
// flametap: option size N 1..6 default 1: With --alloc: which argument is the size
// flametap: option alloc FUNCTION text: Also a function of the program's own that allocates
// flametap: option blocks N 1024..16777216 default 131072: Room for so many blocks at a time
// flametap: option min-age SECONDS 1..1000000: Only blocks that are at least so old at the end
// flametap: option free FUNCTION text: Also a function of the program's own that frees its first argument
// flametap: preload libflametap-heap.so
// flametap: program leaks
