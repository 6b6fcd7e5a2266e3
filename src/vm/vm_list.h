/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The interpreters: ROW(KIND, name) each, and their headers. For one there are enum vm_kind's
 * VM_KIND, struct vm name_vm in its folder, struct name_layout, name_texts and name_walk, and for
 * the BPF programs name_begin_here(), name_step() and name_read_texts().
 */
#ifndef VM_VM_LIST_H
#define VM_VM_LIST_H

#define VM_LIST(ROW) ROW(PERL, perl)

#endif

/* Not guarded: vm_layout.h and vm_bpf.h each need their part, where the list alone was before. */
#ifdef VM_LIST_LAYOUTS
#include "perl/perl_frame.h"
#include "perl/perl_layout.h"
#endif
#ifdef VM_LIST_BPF
#include "perl/perl_bpf.h"
#endif
