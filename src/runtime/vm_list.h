/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The interpreters, each with one ROW(KIND, name), and their headers, which are included below. A
 * row defines VM_KIND in enum vm_kind. The interpreter's folder defines struct vm name_vm, struct
 * name_layout, name_texts and name_walk, and for the BPF programs name_begin_here(), name_step(),
 * name_texts_here() and name_is_coroutine_here(). Its language is a row of model/language.h.
 */
#ifndef RUNTIME_VM_LIST_H
#define RUNTIME_VM_LIST_H

#define VM_LIST(ROW) ROW(PERL, perl) ROW(LUA, lua) ROW(PYTHON, python) ROW(RUBY, ruby) ROW(PHP, php)

#endif

/*
 * There is no include guard: vm_layout.h and vm_bpf.h include different parts, possibly after the
 * list alone.
 */
#ifdef VM_LIST_LAYOUTS
#include "runtime/lua/lua_frame.h"
#include "runtime/lua/lua_layout.h"
#include "runtime/perl/perl_frame.h"
#include "runtime/perl/perl_layout.h"
#include "runtime/python/python_frame.h"
#include "runtime/python/python_layout.h"
#include "runtime/ruby/ruby_frame.h"
#include "runtime/ruby/ruby_layout.h"
#include "runtime/php/php_frame.h"
#include "runtime/php/php_layout.h"
#endif
#ifdef VM_LIST_BPF
#include "runtime/lua/lua_bpf.h"
#include "runtime/perl/perl_bpf.h"
#include "runtime/python/python_bpf.h"
#include "runtime/ruby/ruby_bpf.h"
#include "runtime/php/php_bpf.h"
#endif
