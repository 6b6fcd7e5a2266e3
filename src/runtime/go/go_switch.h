/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Go's functions that call something on another stack, of the thread or of a goroutine, and return
 * to their own stack: runtime.systemstack, asmcgocall, cgocallback, nanotime1 and others in
 * assembly. The code that returns tells where the function's own frame is: it loads rsp from a
 * register that calls preserve, from the frame on the other stack, or from Go's descriptions of the
 * goroutine (g) and the thread (m), which thread-local storage leads to; see runtime/asm_amd64.s.
 * The offsets in these descriptions differ between versions of Go, and are taken from that code.
 */
#ifndef RUNTIME_GO_GO_SWITCH_H
#define RUNTIME_GO_GO_SWITCH_H

#include "lib/bytes.h"
#include "lib/util.h"
#include "unwind/format.h"

/*
 * Returns true if NAME is WANTED, or WANTED with the suffix .abi0 of assembly in some versions of
 * Go.
 */
static inline bool go_is_function(const char *name, const char *wanted)
{
	size_t len = strlen(wanted);

	return begins_with(name, strlen(name), wanted) && (!name[len] || name[len] == '.');
}

enum { GO_SWITCHES = 8 }; /* the maximum in a function */

struct go_function {
	uint64_t start;
	struct bytes code;
	struct bytes depths; /* the pcsp table, see go_depths.h */
	const char *name;
};

/* The addresses from FROM to TO, where rsp is on another stack than the function's frame. */
struct go_switch {
	uint64_t from, to;
	struct unwind_rule rule; /* of kind NONE if it is not known */
};

/*
 * Finds the switches of F in ascending order. Returns their number. SYSTEMSTACK is the rule of
 * runtime.systemstack, or of kind NONE if it is not known. Its path leads to the goroutine, whose
 * stack runtime.morestack has left, too.
 */
size_t go_switches(const struct go_function *f, const struct unwind_rule *systemstack,
	struct go_switch list[GO_SWITCHES]);

#endif
