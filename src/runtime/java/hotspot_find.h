/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the layout of a JVM in the memory of its process. It uses the tables that libjvm.so exports
 * for debuggers (vmStructs), and fits all versions that have the fields it needs: JDK 8 to 25.
 */
#ifndef RUNTIME_JAVA_HOTSPOT_FIND_H
#define RUNTIME_JAVA_HOTSPOT_FIND_H

#include "runtime/java/hotspot.h"

#include <stddef.h>

/* Variables of libjvm.so. */
enum hotspot_symbol {
	HOTSPOT_FIELDS,
	HOTSPOT_FIELD_STRIDE,
	HOTSPOT_FIELD_OWNER, /* this and the next four are offsets in an entry */
	HOTSPOT_FIELD_NAME,
	HOTSPOT_FIELD_TYPE,
	HOTSPOT_FIELD_OFFSET,
	HOTSPOT_FIELD_ADDRESS,
	HOTSPOT_TYPES,
	HOTSPOT_TYPE_STRIDE,
	HOTSPOT_TYPE_NAME,
	HOTSPOT_TYPE_SIZE,
	HOTSPOT_SYMBOLS,
};
extern const char *const hotspot_symbols[HOTSPOT_SYMBOLS];

/* Reads memory of the process, which is untrusted. Returns false if any of it is not readable. */
struct hotspot_memory {
	bool (*read)(void *context, uint64_t address, void *to, size_t size);
	void *context;
};

enum hotspot_end {
	HOTSPOT_FOUND,
	HOTSPOT_YOUNG,   /* the JVM is not initialised yet */
	HOTSPOT_UNKNOWN, /* a field is missing or has an unexpected value */
};

/* SYMBOL has addresses in the process. It takes at most some 20,000 small reads. */
enum hotspot_end hotspot_find(const struct hotspot_memory *memory,
	const uint64_t symbol[HOTSPOT_SYMBOLS], struct hotspot_layout *layout);

/*
 * Gets the VALUE of the JVM's option NAME, of type bool, as in -XX:+NAME. Returns false if the
 * option is not found. It takes at most some 30,000 small reads.
 */
bool hotspot_option(const struct hotspot_memory *memory, const uint64_t symbol[HOTSPOT_SYMBOLS],
	const char *name, bool *value);

#endif
