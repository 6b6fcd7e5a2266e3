/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What ELF files of this processor call things. */
#ifndef ARCH_X86_64_ELF_NAMES_H
#define ARCH_X86_64_ELF_NAMES_H

#include <elf.h>

#ifndef SHT_X86_64_UNWIND
#define SHT_X86_64_UNWIND 0x70000001
#endif

#define MACHINE_NAME "x86-64"

enum {
	MACHINE = EM_X86_64,
	SECTION_UNWIND = SHT_X86_64_UNWIND, /* type of .eh_frame in files of lld */

	RELOC_ADDRESS = R_X86_64_64, /* address of a symbol */
	RELOC_RELATIVE = R_X86_64_RELATIVE,
	RELOC_IRELATIVE = R_X86_64_IRELATIVE,
	RELOC_JUMP_SLOT = R_X86_64_JUMP_SLOT,
	RELOC_GLOB_DAT = R_X86_64_GLOB_DAT,
	RELOC_THREAD_OFFSET = R_X86_64_TPOFF64,
	RELOC_THREAD_MODULE = R_X86_64_DTPMOD64,
	RELOC_THREAD_DESCRIPTOR = R_X86_64_TLSDESC,
};

#endif
