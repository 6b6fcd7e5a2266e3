/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The layouts of CPython in processes as variables of a stap script, in the format described in
 * tapsets/python/python_values.stp.
 */
#ifndef RUNTIME_PYTHON_PYTHON_VALUES_H
#define RUNTIME_PYTHON_PYTHON_VALUES_H

#include "python_layout.h"
#include "runtime/vm_values.h"

/* The members of a shape that the tapset needs, in its order. */
#define PYTHON_NUMBERS(NUMBER)                                                                     \
	NUMBER(interpreter_next)                                                                   \
	NUMBER(interpreter_threads)                                                                \
	NUMBER(interpreter_collects)                                                               \
	NUMBER(thread_next)                                                                        \
	NUMBER(thread_id)                                                                          \
	NUMBER(thread_interpreter)                                                                 \
	NUMBER(thread_status)                                                                      \
	NUMBER(thread_frame)                                                                       \
	NUMBER(cframe_frame)                                                                       \
	NUMBER(frame_previous)                                                                     \
	NUMBER(frame_code)                                                                         \
	NUMBER(frame_instruction)                                                                  \
	NUMBER(frame_entry)                                                                        \
	NUMBER(frame_copy)                                                                         \
	NUMBER(object_type)                                                                        \
	NUMBER(code_first_line)                                                                    \
	NUMBER(code_file)                                                                          \
	NUMBER(code_name)                                                                          \
	NUMBER(code_lines)                                                                         \
	NUMBER(code_instructions)                                                                  \
	NUMBER(code_copies)                                                                        \
	NUMBER(string_length)                                                                      \
	NUMBER(string_state)                                                                       \
	NUMBER(ascii_size)                                                                         \
	NUMBER(compact_size)                                                                       \
	NUMBER(bytes_size)                                                                         \
	NUMBER(bytes_data)                                                                         \
	NUMBER(lines)                                                                              \
	NUMBER(unit)                                                                               \
	NUMBER(shims)

/* Adds the layout in PID. Returns false if there is no room. */
bool python_values_add(struct vm_values *v, uint32_t pid, const struct python_layout *layout);

#endif
