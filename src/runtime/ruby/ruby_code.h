/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the code of functions that every Ruby exports tells of variables that stripped files have no
 * symbols for. CODE are the RUBY_CODE_SIZE bytes at ADDRESS.
 */
#ifndef RUNTIME_RUBY_RUBY_CODE_H
#define RUNTIME_RUBY_RUBY_CODE_H

#include <stdbool.h>
#include <stdint.h>

enum { RUBY_CODE_SIZE = 64 };

/*
 * A thread-local variable that is read after a call of __tls_get_addr(): lea SLOT(%rip),%rdi; call;
 * mov OFFSET(%rax),%rax.
 */
bool ruby_code_thread_slot(
	const unsigned char *code, uint64_t address, uint64_t *slot, uint64_t *offset);

/* A 32-bit variable that is read: mov VARIABLE(%rip),%eax or, as an argument, %edi. */
bool ruby_code_number(const unsigned char *code, uint64_t address, uint64_t *variable);

/* The bit that rb_during_gc() returns. */
struct ruby_code_gc {
	uint64_t vm;   /* the address of the pointer to the VM, or of a pointer to that address */
	bool indirect; /* the latter */
	uint32_t objspace; /* the offset in the VM of the pointer to its objects */
	uint32_t flags, mask;
};

/*
 * mov or lea VM(%rip),%rax; mov (%rax),%rax; mov OBJSPACE(%rax),%rax; movzbl FLAGS(%rax),%eax; shr
 * $N,%al; and $1,%eax
 */
bool ruby_code_gc(const unsigned char *code, uint64_t address, struct ruby_code_gc *gc);

#endif
