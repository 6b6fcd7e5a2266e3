/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Page faults, as shared by the BPF programs and user space. */
#ifndef TOOL_FAULTS_FAULTS_H
#define TOOL_FAULTS_FAULTS_H

#include "engine/bpf/kern/shared.h"

/* Index of the option in the script's header, and its bits. */
enum { FAULTS_OPTION_KIND };

/* The kinds of faults, which are states of rows: without and with waiting for a disk. */
enum { FAULT_MINOR, FAULT_MAJOR, FAULT_KINDS };

#endif
