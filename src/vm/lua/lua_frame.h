/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Frames of Lua's stacks, the state of a walk, and the texts of frames. */
#ifndef VM_LUA_LUA_FRAME_H
#define VM_LUA_LUA_FRAME_H

#include "vm/vm_frame.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * The fields of struct vm_frame. what: the type, with the address that is listed there. at: in its
 * lower LUA_PC bits the address of the next bytecode, 0 if it is not known; above them a hash of
 * with. with: the address after the call in the caller's bytecode; 0: it was not called from
 * bytecode.
 */
enum lua_type {
	LUA_FUNCTION = 1, /* its prototype */
	LUA_FAST,         /* a function of LuaJIT itself: its number (ffid), or enum lua_variable */
	LUA_C,            /* a function in C: its code */
	LUA_TRACE,        /* a trace that is not there any more: its number */
	LUA_SEGMENT,      /* no frame, only with mixed: see LUA_FROM_C, LUA_RUN */
};

/* Numbers of functions of which a trace only tells where their code is; no ffid. */
enum lua_variable { LUA_GMATCH, LUA_WRAP };

#define LUA_PC 47

/* Runs in the machine code of a trace. */
#define LUA_COMPILED (1ULL << 63)
/*
 * Called from C, or resumed: the frames up to here, from the previous one with this flag on, are
 * those of one frame of the interpreter in the native stack.
 */
#define LUA_FROM_C (1ULL << 62)

/*
 * PUC Lua, only with mixed: the function began a run of the interpreter. Between two threads there
 * is a LUA_SEGMENT without this flag.
 */
#define LUA_RUN (1ULL << 61)

static inline enum lua_type lua_frame_type(uint64_t what)
{
	return (enum lua_type)VM_FRAME_TYPE(what);
}

/* What the interpreter does, as in vm.state and the label vmstate; LUA_STATE_NONE: no Lua runs. */
#define LUA_STATES(X)                                                                              \
	X(INTERP, "interp")                                                                        \
	X(C, "c")                                                                                  \
	X(GC, "gc")                                                                                \
	X(EXIT, "exit")                                                                            \
	X(RECORD, "record")                                                                        \
	X(OPT, "opt")                                                                              \
	X(ASM, "asm")                                                                              \
	X(JIT, "jit")

enum lua_state {
	LUA_STATE_NONE,
#define LUA_STATE(name, text) LUA_STATE_##name,
	LUA_STATES(LUA_STATE)
#undef LUA_STATE
		LUA_NR_STATES,
};

/* Limits of one walk: coroutines; bytes that are read at once, also of a stack. */
enum {
	LUA_THREADS_MAX = 256,
	LUA_BYTES = 64,
	LUA_THREAD_BYTES = 128,
	LUA_FRAME_BYTES = 128,
	LUA_SLOTS = 1024
};

/* How the caller's bytecode has the function that it calls. */
enum lua_named { LUA_UNNAMED, LUA_GLOBAL, LUA_LOCAL, LUA_METHOD, LUA_FIELD, LUA_UPVALUE, LUA_META };

/* The search for a function's name in its caller, see lua_text.h. */
struct lua_search {
	uint64_t proto;   /* the caller's */
	uint64_t at;      /* the bytecode that was looked at last */
	uint64_t list;    /* next entry of the list of names that is read */
	uint64_t text;    /* the name; 0: not found */
	uint32_t slot;    /* that has the function; number of the upvalue */
	uint32_t matches; /* local variables in scope that are not it yet */
	uint32_t place;   /* position of a bytecode in the list of local variables */
	uint8_t step;     /* enum lua_search_step */
	uint8_t how;      /* enum lua_named */
};

/* As struct lua_search, and the line of a frame, in PUC Lua: see puc_text.h. */
struct puc_search {
	uint64_t proto; /* the caller's, or the frame's own for its line */
	uint64_t code, list;
	uint64_t text;     /* the name; 0: not found */
	uint32_t pc;       /* of the call: index of a bytecode, or of what has written slot */
	uint32_t at;       /* next bytecode, or entry of a list */
	uint32_t nr;       /* entries of the list */
	uint32_t slot;     /* that has the function */
	uint32_t matches;  /* local variables in scope that are not it yet */
	uint32_t target;   /* of the farthest jump so far; what is before it may not be executed */
	uint32_t setter;   /* index of the bytecode that has written slot, or PUC_NOWHERE */
	uint32_t line;     /* so far */
	uint8_t step;      /* enum puc_search_step */
	bool wants_string; /* slot has the key of a field, not the function */
};

enum { LUA_TRACE_CACHE_SIZE = 256 }; /* entries per CPU; a power of two up to 4096 */

/* The trace that a pc was in; used after it is checked. */
struct lua_cached_trace {
	uint64_t pc;
	uint32_t owner; /* tgid */
	uint32_t number;
};

struct lua_walk {
	struct vm_walk vm;
	union {
		uint64_t pointer[LUA_BYTES / 8];
		uint32_t number[LUA_BYTES / 4];
		uint16_t half[LUA_BYTES / 2];
		uint8_t byte[LUA_BYTES];
		uint64_t thread[LUA_THREAD_BYTES / 8];
	} bytes; /* what was read last */
	uint64_t slots[LUA_SLOTS / 8];
	uint64_t slots_at;  /* address of the slots that were read last … */
	uint32_t slots_len; /* … and the bytes at which a pair may begin; 0: there are none */
	uint64_t thread, global;
	uint64_t bottom;                /* the slot of the thread's stack with the last link */
	uint64_t saved_base, stack_end; /* base and maxstack of the thread */
	uint64_t main;                  /* main thread; 0: not read */
	uint64_t cframe; /* the interpreter's frame that runs the next frame; 0: none, … */
	union {
		uint64_t pointer[LUA_FRAME_BYTES / 8];
		int32_t number[LUA_FRAME_BYTES / 4];
	} frame;          /* … and what is in it */
	uint64_t resumed; /* the last one that had no previous one: the thread was resumed there */
	uint64_t slot;    /* of the next frame: the one with its link */
	uint64_t pc;      /* as at of the next frame */
	uint64_t entry, ir;  /* of a snapshot: its next entry, the trace's constants */
	uint64_t links;      /* next one of the links behind the entries */
	uint32_t nr_entries; /* left of the snapshot */
	uint32_t nr_traces;  /* left to be looked at; 0: the one was found */
	uint64_t traces;
	uint32_t base; /* slot that the frame's arguments begin at, in the snapshot; 0: not known */
	uint32_t nr_threads;
	uint64_t link;      /* of the inlined frame whose prototype is searched for, … */
	uint64_t code;      /* … before this bytecode; 0: none is */
	uint32_t continued; /* slot with the bytecode that an inlined metamethod returns to; 0: none
			     */
	bool is_new;        /* cframe has not been looked at */
	bool is_leaf;       /* the next frame is the thread's innermost one */
	bool compiled;      /* the next frame runs in a trace */
	bool pc_is_guess;   /* pc comes from a register */
	struct lua_search search;
	struct puc_walk {
		uint64_t ci, base_ci, main;
		uint64_t scan;        /* next word of the native stack that is looked at */
		uint64_t scan_end;    /* where that ends */
		struct vm_frame next; /* the frame of ci; of type 0: there is none */
		/* What is read, here and not on the stack: BPF programs have little. */
		uint64_t pair[2]; /* a value, or the beginning of an object */
		struct puc_thread {
			uint64_t ci, base_ci, global;
			uint16_t levels;
		} seen;           /* what may be a thread that runs */
		uint16_t status;  /* flags of ci */
		uint32_t levels;  /* nested C calls of the thread */
		uint32_t at;      /* next word in bytes; LUA_BYTES / 8: none is left */
		bool from_c;      /* next was not called by bytecode of the frame below */
		bool is_leaf;     /* next is the running thread's innermost function */
		bool is_scanning; /* a thread is looked for */
		struct puc_search search;
	} puc;
};

enum { LUA_TEXT_MAX = 256, LUA_NAME_MAX = 128 };

/* The name and the location of a frame. */
struct lua_texts {
	bool named;                /* all of what follows could be read */
	bool is_stripped;          /* it has no lines */
	bool is_main;              /* a main chunk */
	uint8_t how;               /* enum lua_named */
	uint8_t op;                /* of the call, for LUA_META */
	uint32_t line, first_line; /* 0: not known; of the main chunk, first_line is 0 */
	uint32_t chunk_len, name_len;
	char chunk[LUA_TEXT_MAX + 8]; /* as in lua_load: begins with '@' or '=', or is the source */
	char name[LUA_NAME_MAX + 8];
};

#endif
