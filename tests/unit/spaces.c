/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The blocks of the pool and the mappings in them, searched as the BPF programs do. */
#include "bpf_test.h"
#include "engine/bpf/spaces.h"
#include "process/mappings.h"
#include "symbol/elf/elffile.h"

#include <signal.h>
#include <sys/wait.h>
#include <time.h>

enum { PID = 1 << 30, PAGE = 4096 };

static struct processes ps;
static struct pool pool;
static struct loader loader;
static struct spaces spaces;
static struct facet layouts;
static int pool_maps, space_map;
static unsigned random_state = 1302;

static uint64_t random_below(uint64_t n)
{
	uint64_t high = (uint64_t)rand_r(&random_state) << 31;

	return (high | (uint64_t)rand_r(&random_state)) % n;
}

static int make_pool_maps(void)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_MMAPABLE);
	int shard = bpf_map_create(BPF_MAP_TYPE_ARRAY, "shard", 4, UNWIND_BLOCK, SHARD, &opts);

	assert_true(shard >= 0);
	int outer = make_outer(shard, SHARDS_MAX);

	close(shard);
	return outer;
}

static void make(uint64_t pool_bytes_max)
{
	space_map = make_hash(sizeof(uint32_t), sizeof(struct space), 64);
	pool_maps = make_pool_maps();
	pool_init(&pool, pool_maps, pool_bytes_max);
	processes_init(&ps);
	loader_init(&loader, &ps);
	loader.pool = &pool;
	loader.descs = xcalloc(TABLES_MAX, sizeof(*loader.descs));
	jit_layouts_init(&layouts, &ps);
	spaces_init(&spaces, &ps, &pool, &loader, &layouts, space_map);
}

static void release(void)
{
	spaces_release(&spaces);
	facet_release(&layouts);
	free(loader.descs);
	loader_release(&loader);
	processes_release(&ps);
	pool_release(&pool);
	close(pool_maps);
	close(space_map);
}

/* ---- pool ---- */

/* A block as the programs read it. */
static void read_block(uint32_t block, void *to)
{
	uint32_t shard = block / SHARD, at = block % SHARD, id;

	assert_int_equal(bpf_map_lookup_elem(pool_maps, &shard, &id), 0);
	int fd = bpf_map_get_fd_by_id(id);

	assert_true(fd >= 0);
	assert_int_equal(bpf_map_lookup_elem(fd, &at, to), 0);
	close(fd);
}

static void pool__blocks_in_a_row(void **state)
{
	static unsigned char bytes[40 * UNWIND_BLOCK], block[UNWIND_BLOCK];
	uint32_t next = 1;

	(void)state;
	make(8 << 20); /* 8 shards */
	for (uint32_t nr = 1; nr <= 40; nr++) {
		uint32_t first = pool_get(&pool, nr);

		assert_int_equal(first, next);
		for (size_t i = 0; i < sizeof(bytes); i++)
			bytes[i] = (unsigned char)(i / UNWIND_BLOCK * 7 + i + nr);
		pool_write(&pool, first, bytes, nr);
		for (uint32_t i = 0; i < nr; i++) {
			read_block(first + i, block);
			assert_memory_equal(block, bytes + i * UNWIND_BLOCK, UNWIND_BLOCK);
			assert_memory_equal(pool_block(&pool, first + i), block, UNWIND_BLOCK);
		}
		next += nr;
	}
	assert_int_equal(pool_bytes(&pool), 4 << 20);
	release();
}

static void pool__ends(void **state)
{
	(void)state;
	make(2 << 20);
	assert_int_equal(pool_get(&pool, 2 * SHARD), 0); /* there is no block 0 */
	assert_int_equal(pool_bytes(&pool), 0);          /* a failed request allocates nothing */
	assert_int_equal(pool_get(&pool, UINT32_MAX), 0);
	assert_int_equal(pool_get(&pool, 2 * SHARD - 2), 1);
	assert_int_equal(pool_get(&pool, 2), 0);
	assert_int_equal(pool_get(&pool, 1), 2 * SHARD - 1);
	assert_int_equal(pool_get(&pool, 1), 0);
	pool_put(&pool, 0, 5);
	assert_int_equal(pool.nr_freed, 0);
	release();
	make(0); /* at least one shard */
	assert_int_equal(pool_get(&pool, SHARD - 1), 1);
	release();
}

/* A program may still read freed blocks. */
static void pool__freed_blocks_wait(void **state)
{
	uint32_t first, second;
	int64_t freed;

	(void)state;
	make(8 << 20);
	first = pool_get(&pool, 3);
	memset(pool_block(&pool, first + 2), 0xff, UNWIND_BLOCK);
	pool_put(&pool, first, 3);
	freed = monotonic_ns();
	second = pool_get(&pool, 3);
	assert_int_equal(second, first + 3);
	assert_int_equal(*(unsigned char *)pool_block(&pool, first + 2), 0xff);
	while ((second = pool_get(&pool, 3)) != first && second)
		usleep(5000);
	assert_int_equal(second, first);
	assert_true(monotonic_ns() - freed >= 100000000);
	for (int i = 0; i < 3 * UNWIND_BLOCK; i++)
		assert_int_equal(*((unsigned char *)pool_block(&pool, first + i / UNWIND_BLOCK) +
					 i % UNWIND_BLOCK),
			0);
	assert_int_equal(pool.nr_freed, 0);
	release();
}

/* ---- search ---- */

/* As find_map() of the BPF programs: returns the mapping that holds PC, or NULL. */
static const struct space_map *search(const struct space *space, uint64_t pc, uint64_t *start)
{
	uint32_t block = space->root;

	if (pc >= INT64_MAX) /* unused */
		return NULL;
	if (space->height) {
		const struct space_node *node = pool_block(&pool, block);

		block = space->leaves + (uint32_t)UNWIND_SEARCH(node->start, SPACE_NODES, pc);
	}
	const struct space_leaf *leaf = pool_block(&pool, block);
	uint64_t at = UNWIND_SEARCH(leaf->start, SPACE_MAPS, pc) & (SPACE_MAPS - 1);

	*start = leaf->start[at];
	return pc < leaf->start[at] || pc >= leaf->map[at].end ? NULL : &leaf->map[at];
}

/* A process with N mappings, added from the highest address down. */
static struct process *make_process(size_t n)
{
	struct process *p;
	uint64_t end = (1ULL << 47) - PAGE;

	processes_forked(&ps, PID - 1, PID, 0);
	p = processes_get(&ps, PID);
	process_mapped(&ps, p, &(struct mapped){end - PAGE, end, 0, false, "/none/a", "", 1, 1}, 1);
	for (size_t i = 1; i < n; i++) {
		struct mapping m = ps.maps[0];

		m.end = ps.maps[p->maps[0]].start - PAGE * random_below(2);
		m.start = m.end - PAGE * (1 + random_below(20));
		m.writable = i % 3 == 2;
		mappings_add(&ps, p, &m);
	}
	return p;
}

/* Publishing so soon again may have to wait. */
static void update(struct process *p)
{
	while (!spaces_update(&spaces, p))
		usleep(1000);
}

static void check_pc(const struct process *p, const struct space *space, uint64_t pc)
{
	const struct mapping *m = process_find(&ps, p, pc);
	uint64_t start;
	const struct space_map *found = search(space, pc, &start);

	assert_int_equal(found != NULL, m != NULL);
	if (!m)
		return;
	assert_int_equal(found->serial, m - ps.maps + 1);
	assert_true(start == m->start && found->end == m->end);
}

static void check_space(size_t n, size_t pcs)
{
	struct process *p = make_process(n);
	uint64_t exec_pages = 0, low = ps.maps[n - 1].start;
	struct space space;

	update(p);
	assert_int_equal(bpf_map_lookup_elem(space_map, &p->pid, &space), 0);
	assert_int_equal(space.height, n > SPACE_MAPS);
	for (size_t i = 0; i < n; i++)
		exec_pages += ps.maps[i].writable ? 0 : (ps.maps[i].end - ps.maps[i].start) / PAGE;
	assert_int_equal(space.exec_pages, exec_pages);
	for (size_t i = 0; i < pcs; i++) {
		const struct mapping *m = &ps.maps[random_below(n)];
		const uint64_t at[] = {m->start, m->start - 1, m->end, m->end - 1,
			low - PAGE + random_below((1ULL << 47) - low), random_below(UINT64_MAX)};

		for (size_t k = 0; k < ARRAY_LEN(at); k++)
			check_pc(p, &space, at[k]);
	}
	check_pc(p, &space, 0);
	check_pc(p, &space, UINT64_MAX);
	check_pc(p, &space, INT64_MAX);
	check_pc(p, &space, 1ULL << 63);
}

static void spaces__search(void **state)
{
	static const size_t sizes[] = {1, 2, 63, 64, 65, 128, 129, 5000, SPACE_NODES * SPACE_MAPS};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
		make(16 << 20);
		check_space(sizes[i], sizes[i] > 5000 ? 100 : 400);
		release();
	}
}

static bool is_published(struct space *space)
{
	const uint32_t pid = PID;

	return !bpf_map_lookup_elem(space_map, &pid, space);
}

static void spaces__too_many_mappings(void **state)
{
	struct space space;
	struct process *p;

	(void)state;
	make(16 << 20);
	p = make_process(PROCESS_MAPS_MAX + 2);
	assert_int_equal(p->nr_maps, PROCESS_MAPS_MAX);
	assert_int_equal(ps.left_out, 2);
	update(p);
	assert_true(is_published(&space));
	assert_int_equal(space.exec_pages, p->exec_pages); /* the kernel counts them all */
	release();
}

static void spaces__publishes_changes(void **state)
{
	struct space before, after;
	struct process *p;

	(void)state;
	make(16 << 20);
	p = make_process(100);
	update(p);
	assert_true(is_published(&before));
	update(p);
	assert_true(is_published(&after));
	assert_memory_equal(&before, &after, sizeof(before));
	process_mapped(&ps, p, &(struct mapped){PAGE, 3 * PAGE, 0, false, "/none/b", "", 1, 2}, 2);
	update(p);
	assert_true(is_published(&after));
	assert_int_not_equal(after.version, before.version);
	assert_int_not_equal(after.root, before.root);
	assert_int_equal(after.exec_pages, before.exec_pages + 2);
	check_pc(p, &after, PAGE);
	/* the old list stays valid while a program may be reading it */
	assert_int_equal(((struct space_node *)pool_block(&pool, before.root))->start[0],
		((struct space_leaf *)pool_block(&pool, before.leaves))->start[0]);
	process_executed(&ps, p, 3);
	update(p);
	assert_false(is_published(&after)); /* nothing is mapped */
	spaces.facet.ops->ended(&spaces.facet, p->pid);
	release();
}

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000LL + now.tv_nsec;
}

/* Changes of a process without a sample cost nothing. */
static void spaces__late_ones_need_a_sample(void **state)
{
	struct space space;
	struct process *p;

	(void)state;
	make(16 << 20);
	spaces.late = true;
	p = make_process(100);
	assert_true(spaces_update(&spaces, p));
	assert_false(is_published(&space));
	spaces_check(&spaces, p, p->exec_pages, now_ns());
	assert_true(is_published(&space));
	process_mapped(&ps, p, &(struct mapped){PAGE, 3 * PAGE, 0, false, "/none/b", "", 1, 2}, 2);
	update(p);
	assert_true(is_published(&space));
	check_pc(p, &space, PAGE);
	process_executed(&ps, p, 3);
	spaces.facet.ops->executed(&spaces.facet, p->pid);
	bpf_map_delete_elem(space_map, &p->pid); /* as the programs do */
	assert_true(spaces_update(&spaces, p));
	assert_false(is_published(&space));
	release();
}

/* Copies from before the mappings were published, or of another program, say nothing of them. */
static void spaces__checked_when_copies_are_old(void **state)
{
	struct space space;
	struct process *p;

	(void)state;
	make(16 << 20);
	p = make_process(100);
	p->scan_ns = INT64_MAX / 100; /* it may not be scanned now */
	p->scanned_ns = now_ns();
	spaces_check(&spaces, p, p->exec_pages + 1, now_ns()); /* nothing was published */
	assert_true(is_published(&space));
	assert_int_equal(space.unchecked, 0);
	spaces_check(&spaces, p, p->exec_pages + 1, 1);
	assert_true(is_published(&space));
	assert_int_equal(space.unchecked, 0);
	for (int i = 0; i < 1000 && !space.unchecked; i++) {
		spaces_check(&spaces, p, p->exec_pages + 1, now_ns());
		usleep(1000);
		assert_true(is_published(&space));
	}
	assert_int_equal(space.unchecked, 1);
	spaces.facet.ops->executed(&spaces.facet, p->pid);
	update(p);
	assert_true(is_published(&space));
	assert_int_equal(space.unchecked, 0);
	release();
}

/* Copies arrive by the hundred while a table is being built. */
static void spaces__corrected_when_wrong(void **state)
{
	struct space before, after;
	uint32_t next, pid = PID;
	struct process *p;

	(void)state;
	make(16 << 20);
	p = make_process(100);
	spaces_check(&spaces, p, 0, now_ns()); /* not published yet */
	assert_true(is_published(&before));
	assert_int_equal(before.unchecked, 0);
	next = pool.next;
	for (int i = 0; i < 1000; i++)
		spaces_check(&spaces, p, before.exec_pages, now_ns());
	assert_true(is_published(&after));
	assert_memory_equal(&before, &after, sizeof(before));
	assert_int_equal(pool.next, next);
	for (int i = 0; i < 1000 && !after.unchecked; i++) {
		spaces_check(&spaces, p, before.exec_pages + 1,
			now_ns()); /* the scan finds nothing new */
		usleep(1000);
		assert_true(is_published(&after));
	}
	assert_int_equal(after.unchecked, 1);
	assert_true(pool.next <= next + 10);
	assert_int_equal(bpf_map_delete_elem(space_map, &pid), 0); /* as on_exec does */
	for (int i = 0; i < 1000 && !is_published(&after); i++) {
		spaces_check(&spaces, p, before.exec_pages, now_ns());
		usleep(1000);
	}
	assert_true(is_published(&after));
	release();
}

/* This program: its files have tables, and their build-ids are at the published addresses. */
static void spaces__of_a_real_process(void **state)
{
	const uint64_t here = (uint64_t)(uintptr_t)&check_space;
	uint64_t start, id, address, first;
	const struct space_map *m;
	struct space space;

	(void)state;
	make(16 << 20);
	struct process *p = processes_get(&ps, (uint32_t)getpid());

	update(p);
	assert_int_equal(bpf_map_lookup_elem(space_map, &p->pid, &space), 0);
	m = search(&space, here, &start);
	assert_non_null(m);
	assert_true(m->table > 0);
	const struct object *o = &ps.objects[loader.files[m->table].object];

	assert_string_equal(o->path + strlen(o->path) - 7, "/spaces");
	assert_true(elffile_build_id_address(o->elf, &address, &first));
	assert_int_equal(m->id, first);
	assert_int_equal(m->id_at, m->bias + address);
	memcpy(&id, (const void *)(uintptr_t)m->id_at, sizeof(id));
	assert_int_equal(m->id, id);
	m = search(&space, (uint64_t)(uintptr_t)&strtoull, &start);
	assert_true(m && m->table != 0);
	assert_null(search(&space, (uint64_t)(uintptr_t)&space, &start)); /* the stack */
	assert_true(space.exec_pages > 0);
	spaces.facet.ops->ended(&spaces.facet, p->pid);
	assert_int_not_equal(bpf_map_lookup_elem(space_map, &p->pid, &space), 0);
	release();
}

static uint32_t version_of(uint32_t pid)
{
	struct space space;

	update(processes_get(&ps, pid));
	assert_int_equal(bpf_map_lookup_elem(space_map, &pid, &space), 0);
	return space.version;
}

static pid_t fork_idle(void)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	pause();
	_exit(1);
}

/*
 * Forked processes share the cached rules until one of them maps something else. Two children are
 * compared: the kernel maps "[uprobes]" into this process when it runs into another test's probe.
 */
static void spaces__versions_of_forked_processes(void **state)
{
	uint32_t pids[] = {(uint32_t)fork_idle(), (uint32_t)fork_idle()};

	(void)state;
	make(16 << 20);
	for (int i = 0; i < 2; i++)
		processes_get(&ps, pids[i]);
	for (int i = 0; i < 2; i++) {
		kill((pid_t)pids[i], SIGKILL);
		waitpid((pid_t)pids[i], NULL, 0);
	}
	assert_int_equal(version_of(pids[0]), version_of(pids[1]));
	process_mapped(&ps, processes_get(&ps, pids[1]),
		&(struct mapped){PAGE, 3 * PAGE, 0, false, "/none/b", "", 1, 2}, INT64_MAX - 1);
	assert_int_not_equal(version_of(pids[0]), version_of(pids[1]));
	release();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pool__blocks_in_a_row),
		cmocka_unit_test(pool__ends),
		cmocka_unit_test(pool__freed_blocks_wait),
		cmocka_unit_test(spaces__search),
		cmocka_unit_test(spaces__too_many_mappings),
		cmocka_unit_test(spaces__publishes_changes),
		cmocka_unit_test(spaces__late_ones_need_a_sample),
		cmocka_unit_test(spaces__checked_when_copies_are_old),
		cmocka_unit_test(spaces__corrected_when_wrong),
		cmocka_unit_test(spaces__of_a_real_process),
		cmocka_unit_test(spaces__versions_of_forked_processes),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
