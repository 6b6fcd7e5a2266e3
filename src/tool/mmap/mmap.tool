// SPDX-License-Identifier: GPL-2.0-or-later
// mmap: user stacks at which programs map memory with system calls, the bytes, and what of it is still mapped at the end. It has no
// script, as only the built-in engine records it.
//
// flametap: event mmap
// flametap: title Bytes mapped
// flametap: unit bytes
// flametap: clock monotonic
// flametap: none the target did not map memory
// flametap: probe raw_syscalls:sys_enter
// flametap: probe raw_syscalls:sys_exit
// flametap: keys syscall mapping access
// flametap: stacks user
// flametap: counts calls
// flametap: takes vm label
// flametap: program mmap
