/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Frames of Lua's stacks, the state of a walk, and the texts of frames. */
#ifndef RUNTIME_LUA_LUA_FRAME_H
#define RUNTIME_LUA_LUA_FRAME_H

#include "runtime/vm_frame.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * The members of struct vm_frame for Lua:
 *
 * what	the type, and the address or the number that is listed with the type below
 * at	in the lower LUA_PC bits the address of the next bytecode, or 0 if it is not known, and
 *	above them a hash of with
 * with	the address after the call in the caller's bytecode, or 0 if no bytecode called the
 *	function
 */
enum lua_type {
	LUA_FUNCTION = 1, /* its prototype */
	LUA_FAST,         /* a function of LuaJIT itself: its number (ffid) or enum lua_variable */
	LUA_C,            /* a function in C: its code */
	LUA_TRACE,        /* a trace that LuaJIT has freed: its number */
	LUA_SEGMENT,      /* a mark, not a frame, in mixed walks only: see LUA_FROM_C and LUA_RUN */
};

/* Numbers, in place of an ffid, of functions of which a trace only has the address of the code. */
enum lua_variable { LUA_GMATCH, LUA_WRAP };

#define LUA_PC 47

/* The frame runs in the machine code of a trace. */
#define LUA_COMPILED (1ULL << 63)
/*
 * The function was called from C, or resumed. This frame, and the inner frames before the next one
 * with this flag, run in a single frame of the interpreter in the native stack.
 */
#define LUA_FROM_C (1ULL << 62)

/*
 * PUC Lua, in mixed walks only: the function began a run of the interpreter. A LUA_SEGMENT without
 * this flag separates the frames of two threads.
 */
#define LUA_RUN (1ULL << 61)

static inline enum lua_type lua_frame_type(uint64_t what)
{
	return (enum lua_type)VM_FRAME_TYPE(what);
}

/*
 * What the interpreter is doing, as in vm.state and the label vmstate. LUA_STATE_NONE means that no
 * Lua runs.
 */
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

/* Limits of one walk: the number of coroutines, and the bytes that one read takes. */
enum {
	LUA_THREADS_MAX = 256,
	LUA_BYTES = 64,
	LUA_THREAD_BYTES = 128,
	LUA_FRAME_BYTES = 128,
	LUA_SLOTS = 1024
};

/* The kind of variable that the caller's bytecode loads the called function from. */
enum lua_named { LUA_UNNAMED, LUA_GLOBAL, LUA_LOCAL, LUA_METHOD, LUA_FIELD, LUA_UPVALUE, LUA_META };

/* The search for a function's name in its caller: see lua_text.h. */
struct lua_search {
	uint64_t proto;   /* prototype of the caller */
	uint64_t at;      /* the bytecode that was examined last */
	uint64_t list;    /* next entry of the list of names */
	uint64_t text;    /* the name, or 0 if it was not found */
	uint32_t slot;    /* slot that holds the function, or number of the upvalue */
	uint32_t matches; /* local variables in scope that are still to be skipped */
	uint32_t place;   /* bytecode at which the scope of the last local variable read begins */
	uint8_t step;     /* enum lua_search_step */
	uint8_t how;      /* enum lua_named */
};

/* The search for a function's name or for the line of a frame in PUC Lua: see puc_text.h. */
struct puc_search {
	uint64_t proto; /* prototype of the caller, or of the frame whose line is wanted */
	uint64_t code, list;
	uint64_t text;    /* the name, or 0 if it was not found */
	uint32_t pc;      /* index of the call, or of the bytecode that has written slot */
	uint32_t at;      /* index of the next bytecode, or of the next entry of the list */
	uint32_t nr;      /* entries in the list */
	uint32_t slot;    /* register that holds the function */
	uint32_t matches; /* local variables in scope that are still to be skipped */
	uint32_t target;  /* of the farthest jump, which may skip the bytecodes before its target */
	uint32_t setter;  /* index of the bytecode that has written slot, or PUC_NOWHERE */
	uint32_t line;    /* the sum so far */
	uint8_t step;     /* enum puc_search_step */
	bool wants_string; /* slot holds the key of a field, not the function */
};

enum { LUA_TRACE_CACHE_SIZE = 256 }; /* entries per CPU; a power of two up to 4096 */

/* The trace that had a pc in its code when the pc was last seen. Users verify that it still has. */
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
	} bytes; /* the data that was read last */
	uint64_t slots[LUA_SLOTS / 8];
	uint64_t slots_at;  /* address of the slots in the buffer */
	uint32_t slots_len; /* bytes of the buffer at which a pair may begin, or 0 if it is empty */
	uint64_t thread, global;
	uint64_t bottom;                /* slot with the outermost link in the thread's stack */
	uint64_t saved_base, stack_end; /* base and maxstack of the thread */
	uint64_t main;                  /* main thread, or 0 if it was not read */
	uint64_t cframe;                /* the interpreter's frame that runs the next frame, or 0 */
	union {
		uint64_t pointer[LUA_FRAME_BYTES / 8];
		int32_t number[LUA_FRAME_BYTES / 4];
	} frame; /* contents of the frame at cframe */
	/* The last interpreter's frame without a previous one: the thread was resumed in it. */
	uint64_t resumed;
	uint64_t slot;       /* slot with the link of the next frame */
	uint64_t pc;         /* address of the next frame's bytecode, as in its at */
	uint64_t entry, ir;  /* end of the snapshot's entries that are left; IR of its trace */
	uint64_t links;      /* next of the links that follow the snapshot's entries */
	uint32_t nr_entries; /* entries of the snapshot that are left */
	uint32_t nr_traces;  /* traces that are left to search, or 0 when the search has ended */
	uint64_t traces;
	uint32_t base; /* first slot of the frame's arguments in the snapshot, or 0 if not known */
	uint32_t nr_threads;
	uint64_t link; /* of the inlined frame whose prototype is searched for */
	uint64_t code; /* the prototype is searched for before this bytecode; 0 if none is */
	/* Slot with the bytecode that an inlined metamethod returns to, or 0 if there is none. */
	uint32_t continued;
	bool is_new;      /* lua_leave_protected() has not checked cframe yet */
	bool is_leaf;     /* the next frame is the thread's innermost one */
	bool compiled;    /* the next frame runs in a trace */
	bool pc_is_guess; /* pc comes from a register */
	struct lua_search search;
	struct puc_walk {
		uint64_t ci, base_ci, main;
		uint64_t scan;        /* next word of the native stack to examine */
		uint64_t scan_end;    /* end of the words to examine */
		struct vm_frame next; /* the frame of ci, of type 0 if there is none */
		/* Buffers for reads are here because BPF programs have little stack. */
		uint64_t pair[2]; /* a value, or the beginning of an object */
		struct puc_thread {
			uint64_t ci, base_ci, global;
			uint16_t levels;
		} seen;           /* a candidate for the running thread or its resumer */
		uint16_t status;  /* flags of ci */
		uint32_t levels;  /* nested C calls of the thread */
		uint32_t at;      /* next word in bytes, or LUA_BYTES / 8 if none is left */
		bool from_c;      /* next was not called by bytecode of the frame below */
		bool is_leaf;     /* next is the running thread's innermost function */
		bool is_scanning; /* a thread is being searched for */
		struct puc_search search;
	} puc;
};

enum { LUA_TEXT_MAX = 256, LUA_NAME_MAX = 128 };

/* The name and the location of a frame. */
struct lua_texts {
	bool named;       /* all members below could be read */
	bool is_stripped; /* the function has no line numbers */
	bool is_main;     /* the function is a main chunk */
	uint8_t how;      /* enum lua_named */
	uint8_t op;       /* opcode of the call, for LUA_META */
	/* 0 if they are not known; the first_line of a main chunk is always 0. */
	uint32_t line, first_line;
	uint32_t chunk_len, name_len;
	/* As passed to lua_load(): '@' and a file, '=' and a name, or the source text itself. */
	char chunk[LUA_TEXT_MAX + 8];
	char name[LUA_NAME_MAX + 8];
};

#endif
