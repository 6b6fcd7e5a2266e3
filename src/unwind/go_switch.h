/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Go's functions that call something on another stack, of the thread or of a goroutine, and come
 * back: runtime.systemstack, asmcgocall, cgocallback, nanotime1 and others in assembly. Where
 * their own frame is meanwhile is told by the code that comes back: it loads rsp from a register
 * that calls keep, from the frame that was made on the other stack, or from what thread-local
 * storage leads to, Go's descriptions of the goroutine (g) and of the thread (m); see
 * runtime/asm_amd64.s. Their offsets, which differ between versions of Go, are in that code.
 */
#ifndef UNWIND_GO_SWITCH_H
#define UNWIND_GO_SWITCH_H

#include "format.h"
#include "lib/bytes.h"
#include "lib/util.h"

/* True if NAME is WANTED, or that with the suffix .abi0 of assembly in some versions of Go. */
static inline bool go_is_function(const char *name, const char *wanted)
{
	size_t len = strlen(wanted);

	return begins_with(name, strlen(name), wanted) && (!name[len] || name[len] == '.');
}

enum { GO_SWITCHES = 8 }; /* in a function, at most */

struct go_function {
	uint64_t start;
	struct bytes code;
	struct bytes depths; /* the pcsp table, see go_depths.h */
	const char *name;
};

/* The addresses from FROM to TO, where the function's frame is on another stack. */
struct go_switch {
	uint64_t from, to;
	struct unwind_rule rule; /* of kind NONE if it cannot be told */
};

/*
 * Finds the switches of F, in ascending order, and returns their number. SYSTEMSTACK is the rule of
 * runtime.systemstack, or of kind NONE if that is not known: its path leads to the goroutine, whose
 * stack runtime.morestack has left, too.
 */
size_t go_switches(const struct go_function *f, const struct unwind_rule *systemstack,
	struct go_switch list[GO_SWITCHES]);

#endif
