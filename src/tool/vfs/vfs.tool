// SPDX-License-Identifier: GPL-2.0-or-later
// vfs: user stacks at which threads read and write files with system calls or io_uring, the bytes, the files, and the time. It has no
// script, as only the built-in engine records it.
//
// flametap: event vfs
// flametap: title Bytes read and written
// flametap: unit bytes
// flametap: clock monotonic
// flametap: none the target did not read or write files
// flametap: keys op path syscall error
// flametap: probe raw_syscalls:sys_enter
// flametap: probe raw_syscalls:sys_exit
// flametap: leaf syscall path
// flametap: counts calls
// flametap: counts errors error
// flametap: takes vm label
// flametap: option op LIST read=1,write=2,sync=4,open=8,list=16,all=31 default all: Only calls that read, write, sync, open or list
// flametap: option min US 1..1000000000000: Omit shorter calls
// flametap: option max US min..1000000000000: Omit longer calls
// flametap: program vfs
