/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code that is recognised by its bytes, without decoding what is before it. CODE has SIZE bytes;
 * ADDRESS is where it is.
 */
#ifndef ARCH_X86_64_CODE_SHAPES_H
#define ARCH_X86_64_CODE_SHAPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	SHAPE_STUB = 16,       /* bytes of a stub in a PLT, unless its section says otherwise */
	SHAPE_START = 8,       /* bytes of the start of a dynamic linker */
	SHAPE_TARGET_SIZE = 5, /* bytes of a direct call or jump */
	SHAPE_KEY_LOOKUP = 23, /* bytes of musl's pthread_getspecific() */
};

/*
 * Returns the size of the first signal return trampoline from byte *AT on, or 0 if there is none,
 * and moves *AT to its start: mov $__NR_rt_sigreturn,%eax; syscall.
 */
size_t shape_sigreturn(const unsigned char *code, size_t size, size_t *at);

/* Returns whether a program begins there like a dynamic linker: mov %rsp,%rdi; call. */
bool shape_is_start(const unsigned char *code, size_t size);

/* Finds the GOT slot of the PLT stub there, which is [endbr64] [bnd] jmp *disp32(%rip). */
bool shape_stub_slot(const unsigned char *code, size_t size, uint64_t address, uint64_t *slot);

/*
 * Returns the address that is the first argument of the first call, by lea main(%rip),%rdi or mov
 * $main,%rdi, or 0 if there is no such instruction.
 */
uint64_t shape_argument(const unsigned char *code, size_t size, uint64_t address);

/* Returns the target of the call after the stack is aligned, by and $-16,%rsp, or 0. */
uint64_t shape_aligned_call(const unsigned char *code, size_t size, uint64_t address);

/* Returns true if a direct call or jump is there, and sets *TARGET. */
bool shape_target(const unsigned char *code, size_t size, uint64_t address, uint64_t *target);

/* Returns true if a direct jump to a distant target is there, conditional or not, and sets *TARGET.
 */
bool shape_jump(const unsigned char *code, size_t size, uint64_t address, uint64_t *target);

/* Returns true if an address is taken there, by lea N(%rip),%r64, and sets *TARGET. */
bool shape_taken(const unsigned char *code, size_t size, uint64_t address, uint64_t *target);

/* Returns true if the first argument of a call is loaded, by mov N(%rip),%edi, and sets *VARIABLE.
 */
bool shape_loaded(const unsigned char *code, size_t size, uint64_t address, uint64_t *variable);

/*
 * Returns whether the SHAPE_KEY_LOOKUP bytes of CODE look up thread-specific data as musl does, and
 * sets *OFFSET, from the thread's control block to the table:
 *
 *	mov %fs:0,%rax; mov OFFSET(%rax),%rax; mov %edi,%edi; mov (%rax,%rdi,8),%rax; ret
 */
bool shape_key_table(const unsigned char *code, uint64_t *offset);

#endif
