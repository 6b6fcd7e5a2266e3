/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "perfdata_kernel.h"
#include "lib/search.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "model/recording.h"
#include "symbol/names/kallsyms.h"
#include "symbol/names/kernel.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

bool perfdata_kernel_map(struct perfdata_kernel *k, const char *name, uint64_t place)
{
	bool is_stext = !strcmp(name, "[kernel.kallsyms]_stext");

	if (!is_stext && strcmp(name, "[kernel.kallsyms]_text") != 0)
		return false;
	k->text = place;
	k->is_stext = is_stext;
	return true;
}

void perfdata_kernel_add(struct perfdata_kernel *k, uint64_t address, uint64_t size, uint32_t name)
{
	ALLOC_GROW(k->list, k->nr, k->alloc);
	k->list[k->nr++] = (struct perfdata_ksymbol){address, size, name};
}

static int compare_ksymbols(const void *a, const void *b)
{
	const struct perfdata_ksymbol *x = a, *y = b;

	return compare_u64(x->address, y->address);
}

static const struct perfdata_ksymbol *find_ksymbol(
	const struct perfdata_kernel *k, uint64_t address)
{
	size_t nr = COUNT_UNTIL(k->list, k->nr, address, address);

	return nr && address - k->list[nr - 1].address < k->list[nr - 1].size ? &k->list[nr - 1]
									      : NULL;
}

/*
 * Whether the running kernel is the recorded one. Without a build-id, as in pipes and compressed
 * files, it is if the machine and the release have the same names, and the address is the same.
 */
static bool runs(const struct recording *rec, const struct perfdata_kernel *k)
{
	const char *host = recording_meta(rec, "host");
	struct recording running;
	struct utsname uts;
	bool same;

	if (!rec->kernel_build_id)
		return host && !uname(&uts) && !strcmp(host, uts.nodename) &&
		       !strcmp(recording_get(rec, rec->kernel_release), uts.release) && k->text;
	recording_init(&running);
	kernel_describe(&running, "/sys");
	same = !strcmp(recording_get(&running, running.kernel_build_id),
		recording_get(rec, rec->kernel_build_id));
	recording_release(&running);
	return same;
}

/* Chooses among the symbols of the recorded kernel. */
struct choice {
	const struct perfdata_kernel *kernel;
	struct kallsyms *symbols; /* or NULL */
	uint64_t shift;           /* what is added to recorded addresses to find functions there */
};

static uint64_t shift_of(const struct perfdata_kernel *k, const struct kallsyms *ks)
{
	return (k->is_stext ? kallsyms_text(ks) : kallsyms_start(ks)) - k->text;
}

/* Takes KS, which may be NULL, if it is better: of the same boot. Returns whether it is. */
static bool take(struct choice *c, struct kallsyms *ks)
{
	uint64_t shift = ks ? shift_of(c->kernel, ks) : 0;
	bool is_same = ks && !shift;

	if (!ks || (c->symbols && !is_same)) {
		kallsyms_free(ks);
		return false;
	}
	kallsyms_free(c->symbols);
	c->symbols = ks;
	c->shift = shift;
	return is_same;
}

/* Takes the symbols in the file at FOLDER + NAME, which is freed. */
static bool take_file(struct choice *c, char *path)
{
	struct kallsyms *ks = kallsyms_read(path, NULL);

	free(path);
	return take(c, ks);
}

/* Looks into what perf buildid-cache --kcore makes, a folder for each boot. */
static bool take_kcore(struct choice *c, const char *folder, const char *build_id)
{
	char *path = xasprintf("%s/[kernel.kcore]/%s", folder, build_id);
	DIR *dir = opendir(path);
	struct dirent *entry;
	bool found = false;

	while (dir && !found && (entry = readdir(dir)))
		found = entry->d_name[0] != '.' &&
			take_file(c, xasprintf("%s/%s/kallsyms", path, entry->d_name));
	if (dir)
		closedir(dir);
	free(path);
	return found;
}

/* Looks into a cache of perf's, as perf record fills it and perf archive packs it. */
static bool take_cached(struct choice *c, const char *folder, const char *build_id)
{
	return take_file(c, xasprintf("%s/[kernel.kallsyms]/%s/kallsyms", folder, build_id)) ||
	       take_kcore(c, folder, build_id);
}

/* Looks into the folders of LIST, which are separated by ":". */
static void take_listed(struct choice *c, const char *list, const char *build_id)
{
	bool found = false;

	while (*list && !found) {
		size_t n = strcspn(list, ":");
		char *folder = xstrndup(list, n);

		found = n && take_cached(c, folder, build_id);
		free(folder);
		list += n + (list[n] == ':');
	}
}

static void take_cache(struct choice *c, const char *list, const char *build_id)
{
	const char *home = getenv("HOME");
	char *folder = home && !list ? xasprintf("%s/.debug", home) : NULL;

	if (list || folder)
		take_listed(c, list ? list : folder, build_id);
	free(folder);
}

/* Returns the symbols of the recorded kernel, which may be NULL. */
static struct choice choose(const struct recording *rec, const struct perfdata_kernel *k)
{
	struct choice c = {.kernel = k};
	const char *build_id = recording_get(rec, rec->kernel_build_id);

	if (!k->text)
		return c;
	if ((k->folder && take_file(&c, xasprintf("%s/kcore_dir/kallsyms", k->folder))) ||
		(runs(rec, k) && take(&c, kallsyms_new(NULL))))
		return c;
	if (*build_id)
		take_cache(&c, k->caches, build_id);
	if (!*build_id && c.shift) { /* it was another boot, perhaps of another build */
		kallsyms_free(c.symbols);
		c.symbols = NULL;
	}
	return c;
}

/*
 * Finds the function at ADDRESS. Modules are at other addresses in each boot, whatever the shift of
 * the kernel itself is.
 */
static bool find(const struct choice *c, uint64_t address, const char **name, const char **module,
	uint64_t *offset)
{
	return c->symbols && kallsyms_find(c->symbols, address + c->shift, name, module, offset) &&
	       (!c->shift || !strcmp(*module, "[kernel]"));
}

static void name_kernel_frame(struct recording *rec, uint32_t frame,
	const struct perfdata_kernel *k, const struct choice *c)
{
	uint64_t at = rec->frames[frame].addr - rec->frames[frame].call;
	const struct perfdata_ksymbol *own = find_ksymbol(k, at);
	const char *name, *module;
	struct rec_name n = {0};

	if (own) {
		n.function = own->name;
		n.module = recording_string(rec, "[bpf]");
		n.offset = at - own->address;
	} else if (find(c, at, &name, &module, &n.offset)) {
		n.function = recording_string(rec, name);
		n.module = recording_string(rec, module);
	} else {
		return;
	}
	n.offset += rec->frames[frame].call;
	recording_name_frame(rec, frame, &n, 1);
}

static bool has_frames(const struct recording *rec)
{
	for (size_t i = 0; i < rec->nr_frames; i++)
		if (rec->frames[i].kind == FRAME_KERNEL && rec->frames[i].place == AT_ADDRESS)
			return true;
	return false;
}

void perfdata_kernel_name(struct recording *rec, struct perfdata_kernel *k, struct strbuf *notes)
{
	struct choice c;

	if (!has_frames(rec))
		return;
	c = choose(rec, k);
	if (c.symbols)
		rec->kernel_text = kallsyms_text(c.symbols) - c.shift;
	else
		strbuf_adds(notes, "the kernel's functions have no names: view it on the machine "
				   "that recorded, as root, or bring perf's ~/.debug from there\n");
	if (k->nr)
		qsort(k->list, k->nr, sizeof(*k->list), compare_ksymbols);
	for (size_t i = 0; i < rec->nr_frames; i++)
		if (rec->frames[i].kind == FRAME_KERNEL && rec->frames[i].place == AT_ADDRESS)
			name_kernel_frame(rec, (uint32_t)i, k, &c);
	kallsyms_free(c.symbols);
}
