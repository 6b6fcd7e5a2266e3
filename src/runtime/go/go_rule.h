/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rules of functions of Go that have switched to another stack. Shared with the BPF programs.
 */
#ifndef RUNTIME_GO_GO_RULE_H
#define RUNTIME_GO_GO_RULE_H

/*
 * The values of index in a rule, which tell where rsp of the frame on its own stack is. The return
 * address is RA bytes above that rsp; rbp, if it is saved, is directly below the return address.
 */
enum go_switched {
	GO_SWITCH_REG,      /* in reg */
	GO_SWITCH_WORD,     /* *(rsp + offset) */
	GO_SWITCH_DISTANCE, /* *(*(rsp + offset) + add) - *(rsp + base) */
	GO_SWITCH_PATH,     /* *(*(*(*(thread pointer + offset) + add) + base) + fp) */
	/*
	 * as GO_SWITCH_PATH, but the caller is the function that will continue there: its pc is in
	 * the next word, and its rbp, if saved, in the word at RA instead of FP
	 */
	GO_SWITCH_CONTEXT,
};

#endif
