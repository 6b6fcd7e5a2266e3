/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "claim.h"
#include "lib/folder.h"
#include "lib/util.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* Locks the claim before it gets its name, so that claims_sweep() never finds it unlocked. */
void claim_make(struct claim *c)
{
	char *folder = folder_run(), *new = xasprintf("%s/.%d", folder, (int)getpid());

	unlink(new); /* left by an earlier process with the same PID */
	*c = (struct claim){
		.fd = open(new, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600)};
	if (c->fd >= 0) {
		c->path = xasprintf("%s/%d", folder, (int)getpid());
		if (flock(c->fd, LOCK_EX | LOCK_NB) || rename(new, c->path)) {
			unlink(new);
			claim_release(c);
		}
	}
	free(new);
	free(folder);
}

void claim_write(const struct claim *c, const struct stap_module *module, pid_t loader)
{
	if (c->path)
		dprintf(c->fd, "%s %d %d\n", module->name, (int)loader, module->is_signed);
}

void claim_release(struct claim *c)
{
	if (!c->path)
		return;
	unlink(c->path);
	close(c->fd);
	free(c->path);
	c->path = NULL;
}

/* Unloads the module in the claim IN. Returns true if it is not loaded afterwards. */
static bool unload_claimed(FILE *in)
{
	char name[64];
	int loader, is_signed;

	if (fscanf(in, "%63s %d %d", name, &loader, &is_signed) != 3)
		return true;
	char *loaded = stap_module_loaded_as(
		&(struct stap_module){.name = name, .is_signed = is_signed}, loader);

	if (loaded)
		stap_module_unload(loaded);
	bool gone = !loaded || !stap_module_is_loaded(loaded);

	free(loaded);
	return gone;
}

/* Opens only a regular file of this user, as others may write to the folder (XDG_RUNTIME_DIR). */
static FILE *open_own(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	FILE *in = NULL;
	struct stat st;

	if (fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_uid == geteuid())
		in = fdopen(fd, "r");
	if (fd >= 0 && !in)
		close(fd);
	return in;
}

static void sweep_file(const char *path)
{
	FILE *in = open_own(path);

	if (!in)
		return;
	if (!flock(fileno(in), LOCK_EX | LOCK_NB) && unload_claimed(in))
		unlink(path);
	fclose(in);
}

void claims_sweep(void)
{
	char *folder = folder_run();
	DIR *dir = opendir(folder);

	for (struct dirent *e; dir && (e = readdir(dir));) {
		char *path = xasprintf("%s/%s", folder, e->d_name);

		if (e->d_name[0] != '.')
			sweep_file(path);
		free(path);
	}
	if (dir)
		closedir(dir);
	free(folder);
}
