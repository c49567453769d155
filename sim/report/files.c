// SPDX-License-Identifier: BSD-2-Clause
/*
 * files.c - directories and files of a run; files.h says what it promises.
 */
#include "sim/report/files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/engine/error.h"

#define TMP_SUFFIX ".part"

/* What a run writes at the top of its directory, and in the sub-directory of a policy. */
static const char *const run_files[] = {
	"config.resolved.yaml", "stats.json", "stats.txt", "trace.zst", "manifest.json",
	"report.html", "report.json", "compare.json", "series.json", NULL
};

char *sim_path_join(const char *a, const char *b)
{
	size_t size = strlen(a) + strlen(b) + 2;
	char *path = sim_alloc(size, 1, "path");
	bool bare = strcmp(a, "") == 0 || strcmp(a, ".") == 0;

	snprintf(path, size, "%s%s%s", bare ? "" : a, bare || a[strlen(a) - 1] == '/' ? "" : "/",
		 b);
	return path;
}

bool sim_path_exists(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0;
}

bool sim_dir_make(const char *path, struct sim_error *err)
{
	if (mkdir(path, 0777) == 0)
		return true;
	sim_error_at(err, path, 0, "cannot make this directory: %s", strerror(errno));
	return false;
}

bool sim_file_write(const char *path, const char *bytes, size_t len, struct sim_error *err)
{
	size_t size = strlen(path) + sizeof(TMP_SUFFIX);
	char *tmp = sim_alloc(size, 1, "path");
	FILE *f;
	bool ok;

	snprintf(tmp, size, "%s" TMP_SUFFIX, path);
	f = fopen(tmp, "wb");
	ok = f && fwrite(bytes, 1, len, f) == len;
	if (f && fclose(f) != 0)
		ok = false;
	if (ok)
		ok = rename(tmp, path) == 0;
	if (!ok) {
		sim_error_at(err, path, 0, "cannot be written: %s", strerror(errno));
		if (f)
			unlink(tmp);
	}
	free(tmp);
	return ok;
}

static bool is_run_file(const char *name)
{
	size_t len = strlen(name), tail = strlen(TMP_SUFFIX);

	if (len > tail && strcmp(name + len - tail, TMP_SUFFIX) == 0)
		len -= tail;
	for (size_t i = 0; run_files[i]; i++) {
		if (strlen(run_files[i]) == len && strncmp(name, run_files[i], len) == 0)
			return true;
	}
	return false;
}

/*
 * Visit the entries of a directory that may hold sub-directories (depth 1) or files only (depth 0).
 * With @remove, delete them; without, count them in *n and stop at the first one that no run wrote.
 */
static bool walk(const char *path, unsigned int depth, bool remove_them, size_t *n,
		 struct sim_error *err)
{
	DIR *dir = opendir(path);
	const struct dirent *entry;
	bool ok = dir != NULL;

	if (!ok)
		sim_error_at(err, path, 0, "cannot be read: %s", strerror(errno));
	while (ok && (entry = readdir(dir))) {
		char *child;
		struct stat st;

		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		child = sim_path_join(path, entry->d_name);
		++*n;
		if (lstat(child, &st) == 0 && S_ISDIR(st.st_mode) && depth > 0) {
			ok = walk(child, depth - 1, remove_them, n, err);
			if (ok && remove_them)
				ok = rmdir(child) == 0;
		} else if (!S_ISREG(st.st_mode) || !is_run_file(entry->d_name)) {
			sim_error_set(err, "%s: is not part of a run: --force does not delete it; "
				      "move it away or choose another --out", child);
			ok = false;
		} else if (remove_them) {
			ok = unlink(child) == 0;
		}
		if (!ok)
			sim_error_at(err, child, 0, "cannot be deleted: %s", strerror(errno));
		free(child);
	}
	if (dir)
		closedir(dir);
	return ok;
}

static bool make_parents(const char *path, struct sim_error *err)
{
	char *copy = sim_strdup(path);
	bool ok = true;

	for (char *p = copy + 1; ok && *p; p++) {
		if (*p != '/' || !p[1])
			continue;
		*p = '\0';
		if (mkdir(copy, 0777) != 0 && errno != EEXIST) {
			sim_error_at(err, copy, 0, "cannot make this directory: %s",
				     strerror(errno));
			ok = false;
		}
		*p = '/';
	}
	free(copy);
	return ok;
}

/* The first file that a run writes: also an interrupted one has it. */
static bool has_config(const char *path)
{
	char *config = sim_path_join(path, "config.resolved.yaml");
	bool has = sim_path_exists(config);

	free(config);
	return has;
}

static bool make_dir(const char *path, bool *made, struct sim_error *err)
{
	struct stat st;

	*made = false;
	if (stat(path, &st) == 0) {
		if (!S_ISDIR(st.st_mode))
			sim_error_at(err, path, 0, "is there, and is not a directory");
		return S_ISDIR(st.st_mode);
	}
	/* A name too long, a loop of links: before the first directory is made. */
	if (errno != ENOENT) {
		sim_error_at(err, path, 0, "cannot make this directory: %s", strerror(errno));
		return false;
	}
	*made = make_parents(path, err) && sim_dir_make(path, err);
	return *made;
}

/* The lock is the kernel's: it goes with the process, however that ends. */
static bool lock_dir(struct sim_rundir *dir, struct sim_error *err)
{
	dir->lock = open(dir->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir->lock < 0) {
		sim_error_at(err, dir->path, 0, "cannot be read: %s", strerror(errno));
		return false;
	}
	/* A file system without locks is no reason to refuse. */
	if (flock(dir->lock, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
		return true;
	sim_error_at(err, dir->path, 0, "another run is writing into it: wait for its end, or "
		     "choose another --out");
	close(dir->lock);
	dir->lock = -1;
	return false;
}

/* Is what is in it nothing, or with force an earlier run and nothing else? */
static bool replaceable(const char *path, bool force, struct sim_error *err)
{
	struct sim_error foreign = { "" };
	size_t n = 0;

	if (!walk(path, 1, false, &n, &foreign) && (force || n == 0))
		*err = foreign;
	else if (n > 0 && !force)
		sim_error_at(err, path, 0, "is not empty: --force replaces an earlier run, --out "
			     "chooses another directory");
	else if (n > 0 && !has_config(path))
		sim_error_at(err, path, 0, "is not a run directory (it has no "
			     "config.resolved.yaml): --force does not replace it");
	else if (access(path, W_OK | X_OK) != 0)
		sim_error_at(err, path, 0, "cannot be written to: %s", strerror(errno));
	return !sim_error_is_set(err);
}

bool sim_rundir_claim(struct sim_rundir *dir, const char *path, bool force, struct sim_error *err)
{
	*dir = (struct sim_rundir){ .path = path, .lock = -1 };
	if (!*path) {
		sim_error_set(err, "--out: must be the name of a directory");
		return false;
	}
	if (!make_dir(path, &dir->made, err) || !lock_dir(dir, err))
		return false;
	if (replaceable(path, force, err))
		return true;
	sim_rundir_release(dir, true);
	return false;
}

void sim_rundir_release(struct sim_rundir *dir, bool unused)
{
	if (unused && dir->made)
		rmdir(dir->path);
	if (dir->lock >= 0)
		close(dir->lock);
	dir->lock = -1;
}

bool sim_rundir_clear(const char *path, struct sim_error *err)
{
	size_t n = 0;

	return walk(path, 1, true, &n, err);
}
