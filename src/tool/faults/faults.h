/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Page faults, as shared by the BPF programs and user space. */
#ifndef TOOL_FAULTS_FAULTS_H
#define TOOL_FAULTS_FAULTS_H

#include "engine/bpf/kern/shared.h"

/* Index of the option in the script's header, and its bits. */
enum { FAULTS_OPTION_KIND };

/* The kinds of faults: without and with waiting for a disk. */
enum { FAULT_MINOR, FAULT_MAJOR, FAULT_KINDS };

/* What is mapped at the address of a fault. */
enum fault_mapping {
	MAPPING_UNKNOWN,
	MAPPING_FILE,
	MAPPING_HEAP,  /* of brk(2) */
	MAPPING_STACK, /* of the main thread */
	MAPPING_ANONYMOUS,
	MAPPINGS
};

/* What a row counts: the kind of the fault, enum fault_mapping, and the number of the file. */
enum { FAULT_KIND = 1, FAULT_MAPPING_SHIFT = 1, FAULT_MAPPING = 7, FAULT_FILE_SHIFT = 4 };

#endif
