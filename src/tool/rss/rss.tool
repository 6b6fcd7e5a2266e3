// SPDX-License-Identifier: GPL-2.0-or-later
// rss: user and kernel stacks at which the resident memory of processes grows, the bytes, and the kind of memory. It has no
// script, as only the built-in engine records it.
//
// flametap: event rss
// flametap: title Growth of resident memory
// flametap: unit bytes
// flametap: clock monotonic
// flametap: none the target's resident memory did not grow
// flametap: probe kmem:rss_stat
// flametap: keys memory
// flametap: takes vm label
// flametap: option kind LIST file=1,anon=2,shmem=8,all=11 default all: Only pages of files, anonymous or shared memory
// flametap: program rss
