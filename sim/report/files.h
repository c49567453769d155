/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sim/report/files.h - a run directory on disk: made, replaced, written, without surprises.
 *
 * F1  A directory that holds anything is never touched without --force, and with it only if every
 *     single entry is one that a run writes: nothing of a person's is ever deleted.
 * F2  One run at a time writes into a directory: it holds a lock on it until it has ended.
 * F3  A file appears under its name complete or not at all: it is written beside, every write and
 *     the close checked, and renamed.
 */
#ifndef SIM_REPORT_FILES_H
#define SIM_REPORT_FILES_H

#include <stdbool.h>
#include <stddef.h>

struct sim_error;

/**
 * struct sim_rundir - a directory that was claimed
 * @path: as given; the caller's
 * @made: it was made by the claim
 * @lock: descriptor that holds the lock; -1 if there is none
 */
struct sim_rundir {
	const char *path;
	bool made;
	int lock;
};

/**
 * sim_rundir_claim() - may a run be written into this directory?
 * @dir: filled in; to be given back by sim_rundir_release() when the claim succeeds
 * @path: made, with its parents, if it does not exist
 * @force: an earlier run in it may be replaced
 * @err: says what is in the way
 *
 * Return: true; false. Nothing is deleted in either case.
 */
bool sim_rundir_claim(struct sim_rundir *dir, const char *path, bool force, struct sim_error *err);

/** sim_rundir_release() - the run has ended; @unused: it wrote nothing, so what was made goes */
void sim_rundir_release(struct sim_rundir *dir, bool unused);

/** sim_rundir_clear() - delete what an earlier run left; after claim(), before the first write */
bool sim_rundir_clear(const char *path, struct sim_error *err);

/** sim_dir_make() - one directory below an existing one; false with @err set */
bool sim_dir_make(const char *path, struct sim_error *err);

/** sim_file_write() - all of a file, atomically; false with @err set and no file left over */
bool sim_file_write(const char *path, const char *bytes, size_t len, struct sim_error *err);

/** sim_path_join() - "a/b", or "b" alone if @a is "" or "."; free() it */
char *sim_path_join(const char *a, const char *b);

/** sim_path_exists() - is there anything of that name? */
bool sim_path_exists(const char *path);

#endif
