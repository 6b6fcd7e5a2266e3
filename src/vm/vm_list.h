/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The interpreters: ROW(KIND, name) each. For one there are enum vm_kind's VM_KIND, struct vm
 * name_vm in its folder, struct name_layout, name_texts and name_walk (vm_layout.h), and for the
 * BPF programs name_begin_here(), name_step() and name_read_texts() (vm_bpf.h).
 */
#ifndef VM_VM_LIST_H
#define VM_VM_LIST_H

#define VM_LIST(ROW) ROW(PERL, perl)

#endif
