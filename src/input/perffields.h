/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The fields of perf script(1), from which the frames have to be told apart, and where perf prints
 * them. The newest field is brcntr. This is the order in which process_event() of Linux's
 * tools/perf/builtin-script.c prints them:
 *
 * - before the task: machine_pid, vcpu;
 * - the header (perfline.h): comm, pid, tid, cpu, misc, tod, time, period, event;
 * - after the event, in the same line: flags, trace, synth, addr, data_src, weight, ins_lat,
 *   retire_lat, cgroup;
 * - the frames, in lines of their own if the event has call chains, else in the same line:
 *   callindent, ip, sym, symoff, dso, dsoff, srcline;
 * - after them, in lines of their own or in the same line: iregs, uregs, brstack, brstacksym,
 *   brstackoff, bpf-output, insnlen, insn, disasm, brstackinsn, brstackinsnlen, brstackdisasm,
 *   brcntr, phys_addr, data_page_size, code_page_size, ipc;
 * - after the sample's blank line: srccode, metric.
 */
#ifndef INPUT_PERFFIELDS_H
#define INPUT_PERFFIELDS_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Narrows the text after an event, which has no blanks at its ends, to the frame in it: ip, sym and
 * dso. Returns false if there are fields, but no frame.
 */
bool perffields_narrow(const char **text, size_t *len);

/* Whether a line is a field after the frames. TEXT is the line without its indentation. */
bool perffields_is_detail(const char *line, const char *text, size_t len);

/* Whether a text contains branches, as brstack and brstacksym print them: FROM/TO/P/-/-/12… */
bool perffields_has_branches(const char *text, size_t len);

/*
 * Whether a text contains only numbers and sizes of pages, as phys_addr and data_page_size print
 * them.
 */
bool perffields_is_numbers(const char *text, size_t len);

#endif
