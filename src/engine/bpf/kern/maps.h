/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the recorder sets and reads: the maps that all programs share. Their types are in shared.h.
 */
#ifndef ENGINE_BPF_KERN_MAPS_H
#define ENGINE_BPF_KERN_MAPS_H

#include <linux/bpf.h>
#include <linux/bpf_perf_event.h>
#include <linux/ptrace.h>
#include <stdbool.h>
#include <stdint.h>

#include "structs.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "backlog.h"

const volatile struct settings settings;

/*
 * Each tool's programs are compiled a second time with PLAIN defined as true, for recordings
 * without interpreters and labels of a source. There the compiler leaves out what depends on the
 * following functions: the kernel takes time for code that the settings make unreachable.
 */
#ifndef PLAIN
#define PLAIN false
#endif

/* Returns a bit VM_BIT() for each kind of VM whose stacks are recorded. */
static __always_inline uint32_t recorded_vms(void)
{
	return PLAIN ? 0 : settings.vm;
}

/* Returns the bits of these VMs whose walks the native stack begins. */
static __always_inline uint32_t recorded_by_native(void)
{
	return PLAIN ? 0 : settings.vm_by_native;
}

/* Returns whether labels of a source are recorded. */
static __always_inline bool records_labels(void)
{
	return !PLAIN && settings.labels;
}

/* Returns a bit for each recorded label of the source of KIND. */
static __always_inline uint32_t recorded_keys(enum label_kind kind)
{
	return PLAIN ? 0 : settings.label_keys[kind];
}

struct control control;

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, TARGETS);
	__type(key, uint32_t);
	__type(value, uint32_t); /* with --children the number in the initial namespace */
} target_pids SEC(".maps"), target_tids SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, CGROUPS_MAX);
	__type(key, uint64_t); /* ID */
	__type(value, uint32_t);
} target_cgroups SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, SPACES_MAX);
	__type(key, uint32_t);
	__type(value, struct space);
} spaces SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, TABLES_MAX);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, uint32_t);
	__type(value, struct table_desc);
} tables SEC(".maps");

struct shard {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, SHARD);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(key_size, sizeof(uint32_t));
	__uint(value_size, UNWIND_BLOCK);
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, SHARDS_MAX);
	__type(key, uint32_t);
	__array(values, struct shard);
} pool SEC(".maps");

struct nodes {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, struct node_key);
	__type(value, uint64_t); /* number of the node */
} nodes_0 SEC(".maps"), nodes_1 SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 2);
	__type(key, uint32_t);
	__array(values, struct nodes);
} nodes SEC(".maps") = {.values = {&nodes_0, &nodes_1}};

struct rows {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, struct row_key);
	__type(value, struct row_value);
} rows_0 SEC(".maps"), rows_1 SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 2);
	__type(key, uint32_t);
	__array(values, struct rows);
} rows SEC(".maps") = {.values = {&rows_0, &rows_1}};

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 22);
} ring SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, COPY_QUOTAS_MAX);
	__type(key, uint32_t); /* tgid */
	__type(value, struct copy_quota);
} copy_quotas SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, COPIED_MAX);
	__type(key, struct copied_key);
	__type(value, struct copied);
} copied SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, DELAYED_MAX);
	__type(key, uint32_t); /* TID in the initial PID namespace */
	__type(value, struct delayed);
} delayed SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, uint32_t);
	__type(value, struct counters);
} counters SEC(".maps");

#endif
